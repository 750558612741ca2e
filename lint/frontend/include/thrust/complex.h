// thrust::complex.
#pragma once
#include <complex>
#include <iosfwd>
#include "../cudalint/thrust/core.h"
#pragma clang force_cuda_host_device begin
namespace thrust {
template <class _T> struct complex {
  typedef _T value_type;
  _T re, im;
  constexpr complex(const _T &_r = _T(), const _T &_i = _T()) : re(_r), im(_i) {}
  template <class _U> constexpr complex(const complex<_U> &_z) : re(_z.real()), im(_z.imag()) {}
  template <class _U> constexpr complex(const std::complex<_U> &_z) : re(_z.real()), im(_z.imag()) {}
  operator std::complex<_T>() const;
  constexpr _T real() const { return re; }
  constexpr _T imag() const { return im; }
  void real(_T _r);
  void imag(_T _i);
  complex &operator=(const _T &_r);
  template <class _U> complex &operator=(const complex<_U> &_z);
  complex &operator+=(const _T &_r);
  complex &operator-=(const _T &_r);
  complex &operator*=(const _T &_r);
  complex &operator/=(const _T &_r);
  template <class _U> complex &operator+=(const complex<_U> &_z);
  template <class _U> complex &operator-=(const complex<_U> &_z);
  template <class _U> complex &operator*=(const complex<_U> &_z);
  template <class _U> complex &operator/=(const complex<_U> &_z);
};
#define CUDALINT_COMPLEX_OP(op) \
  template <class _T> complex<_T> operator op(const complex<_T> &_x, const complex<_T> &_y); \
  template <class _T> complex<_T> operator op(const complex<_T> &_x, const std::type_identity_t<_T> &_y); \
  template <class _T> complex<_T> operator op(const std::type_identity_t<_T> &_x, const complex<_T> &_y);
CUDALINT_COMPLEX_OP(+) CUDALINT_COMPLEX_OP(-) CUDALINT_COMPLEX_OP(*) CUDALINT_COMPLEX_OP(/)
#undef CUDALINT_COMPLEX_OP
template <class _T> complex<_T> operator+(const complex<_T> &_x);
template <class _T> complex<_T> operator-(const complex<_T> &_x);
template <class _T> bool operator==(const complex<_T> &_x, const complex<_T> &_y);
template <class _T> bool operator!=(const complex<_T> &_x, const complex<_T> &_y);
template <class _T> bool operator==(const complex<_T> &_x, const _T &_y);
template <class _T> bool operator!=(const complex<_T> &_x, const _T &_y);
template <class _T> _T abs(const complex<_T> &_z);
template <class _T> _T arg(const complex<_T> &_z);
template <class _T> _T norm(const complex<_T> &_z);
template <class _T> complex<_T> conj(const complex<_T> &_z);
template <class _T> complex<_T> proj(const complex<_T> &_z);
template <class _T> complex<_T> polar(const _T &rho, const _T &theta = _T());
template <class _T> complex<_T> pow(const complex<_T> &_x, const complex<_T> &_y);
template <class _T> complex<_T> pow(const complex<_T> &_x, const std::type_identity_t<_T> &_y);
template <class _T> complex<_T> pow(const complex<_T> &_x, int _y);
#define CUDALINT_COMPLEX_FN(name) template <class _T> complex<_T> name(const complex<_T> &_z);
CUDALINT_COMPLEX_FN(exp) CUDALINT_COMPLEX_FN(log) CUDALINT_COMPLEX_FN(log10) CUDALINT_COMPLEX_FN(sqrt) CUDALINT_COMPLEX_FN(sin)
CUDALINT_COMPLEX_FN(cos) CUDALINT_COMPLEX_FN(tan) CUDALINT_COMPLEX_FN(sinh) CUDALINT_COMPLEX_FN(cosh) CUDALINT_COMPLEX_FN(tanh)
CUDALINT_COMPLEX_FN(asin) CUDALINT_COMPLEX_FN(acos) CUDALINT_COMPLEX_FN(atan)
#undef CUDALINT_COMPLEX_FN

template <class _T> std::ostream &operator<<(std::ostream &os, const complex<_T> &_z);
}
#pragma clang force_cuda_host_device end
