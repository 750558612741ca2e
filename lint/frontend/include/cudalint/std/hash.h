// std::hash and the comparison function objects.
#pragma once
#include "../base.h"
#pragma clang force_cuda_host_device begin
namespace std {
template <class T> struct hash { size_t operator()(const T &key) const noexcept; };
#define CUDALINT_FUNCTOR(name, R, expr) \
  template <class T = void> struct name { \
    typedef T first_argument_type; \
    typedef T second_argument_type; \
    typedef R result_type; \
    constexpr R operator()(const T &x, const T &y) const { return expr; } \
  };
#define CUDALINT_FUNCTOR_VOID(name, expr) \
  template <> struct name<void> { \
    typedef int is_transparent; \
    template <class A, class B> constexpr auto operator()(A &&x, B &&y) const -> decltype(expr) { return expr; } \
  };
CUDALINT_FUNCTOR(plus, T, x + y) CUDALINT_FUNCTOR_VOID(plus, x + y)
CUDALINT_FUNCTOR(minus, T, x - y) CUDALINT_FUNCTOR_VOID(minus, x - y)
CUDALINT_FUNCTOR(multiplies, T, x * y) CUDALINT_FUNCTOR_VOID(multiplies, x * y)
CUDALINT_FUNCTOR(divides, T, x / y) CUDALINT_FUNCTOR_VOID(divides, x / y)
CUDALINT_FUNCTOR(modulus, T, x % y)
CUDALINT_FUNCTOR(bit_and, T, x & y)
CUDALINT_FUNCTOR(bit_or, T, x | y)
CUDALINT_FUNCTOR(bit_xor, T, x ^ y)
CUDALINT_FUNCTOR(logical_and, bool, x && y)
CUDALINT_FUNCTOR(logical_or, bool, x || y)
CUDALINT_FUNCTOR(equal_to, bool, x == y) CUDALINT_FUNCTOR_VOID(equal_to, x == y)
CUDALINT_FUNCTOR(not_equal_to, bool, x != y) CUDALINT_FUNCTOR_VOID(not_equal_to, x != y)
CUDALINT_FUNCTOR(less, bool, x < y) CUDALINT_FUNCTOR_VOID(less, x < y)
CUDALINT_FUNCTOR(greater, bool, x > y) CUDALINT_FUNCTOR_VOID(greater, x > y)
CUDALINT_FUNCTOR(less_equal, bool, x <= y) CUDALINT_FUNCTOR_VOID(less_equal, x <= y)
CUDALINT_FUNCTOR(greater_equal, bool, x >= y) CUDALINT_FUNCTOR_VOID(greater_equal, x >= y)
#undef CUDALINT_FUNCTOR
#undef CUDALINT_FUNCTOR_VOID
template <class T = void> struct negate { constexpr T operator()(const T &x) const { return -x; } };
template <class T = void> struct logical_not { constexpr bool operator()(const T &x) const { return !x; } };
template <class T = void> struct bit_not { constexpr T operator()(const T &x) const { return ~x; } };
}
#pragma clang force_cuda_host_device end
