// std::hash and the comparison function objects.
#pragma once
#include "../base.h"
#pragma clang force_cuda_host_device begin
namespace std {
template <class _T> struct hash { size_t operator()(const _T &key) const noexcept; };
#define CUDALINT_FUNCTOR(name, R, expr) \
  template <class _T = void> struct name { \
    typedef _T first_argument_type; \
    typedef _T second_argument_type; \
    typedef R result_type; \
    constexpr R operator()(const _T &_x, const _T &_y) const { return expr; } \
  };
#define CUDALINT_FUNCTOR_VOID(name, expr) \
  template <> struct name<void> { \
    typedef int is_transparent; \
    template <class _A, class _B> constexpr auto operator()(_A &&_x, _B &&_y) const -> decltype(expr) { return expr; } \
  };
CUDALINT_FUNCTOR(plus, _T, _x + _y) CUDALINT_FUNCTOR_VOID(plus, _x + _y)
CUDALINT_FUNCTOR(minus, _T, _x - _y) CUDALINT_FUNCTOR_VOID(minus, _x - _y)
CUDALINT_FUNCTOR(multiplies, _T, _x * _y) CUDALINT_FUNCTOR_VOID(multiplies, _x * _y)
CUDALINT_FUNCTOR(divides, _T, _x / _y) CUDALINT_FUNCTOR_VOID(divides, _x / _y)
CUDALINT_FUNCTOR(modulus, _T, _x % _y)
CUDALINT_FUNCTOR(bit_and, _T, _x & _y)
CUDALINT_FUNCTOR(bit_or, _T, _x | _y)
CUDALINT_FUNCTOR(bit_xor, _T, _x ^ _y)
CUDALINT_FUNCTOR(logical_and, bool, _x && _y)
CUDALINT_FUNCTOR(logical_or, bool, _x || _y)
CUDALINT_FUNCTOR(equal_to, bool, _x == _y) CUDALINT_FUNCTOR_VOID(equal_to, _x == _y)
CUDALINT_FUNCTOR(not_equal_to, bool, _x != _y) CUDALINT_FUNCTOR_VOID(not_equal_to, _x != _y)
CUDALINT_FUNCTOR(less, bool, _x < _y) CUDALINT_FUNCTOR_VOID(less, _x < _y)
CUDALINT_FUNCTOR(greater, bool, _x > _y) CUDALINT_FUNCTOR_VOID(greater, _x > _y)
CUDALINT_FUNCTOR(less_equal, bool, _x <= _y) CUDALINT_FUNCTOR_VOID(less_equal, _x <= _y)
CUDALINT_FUNCTOR(greater_equal, bool, _x >= _y) CUDALINT_FUNCTOR_VOID(greater_equal, _x >= _y)
#undef CUDALINT_FUNCTOR
#undef CUDALINT_FUNCTOR_VOID
struct identity {
  typedef int is_transparent;
  template <class _T> constexpr _T &&operator()(_T &&_x) const noexcept { return static_cast<_T &&>(_x); }
};
template <class _T = void> struct negate { constexpr _T operator()(const _T &_x) const { return -_x; } };
template <class _T = void> struct logical_not { constexpr bool operator()(const _T &_x) const { return !_x; } };
template <class _T = void> struct bit_not { constexpr _T operator()(const _T &_x) const { return ~_x; } };
}
#pragma clang force_cuda_host_device end
