// thrust::complex.
#pragma once
#include <complex>
#include <iosfwd>
#include "../cudalint/thrust/core.h"
#pragma clang force_cuda_host_device begin
namespace thrust {
template <class T> struct complex {
  typedef T value_type;
  T re, im;
  constexpr complex(const T &r = T(), const T &i = T()) : re(r), im(i) {}
  template <class U> constexpr complex(const complex<U> &z) : re(z.real()), im(z.imag()) {}
  template <class U> constexpr complex(const std::complex<U> &z) : re(z.real()), im(z.imag()) {}
  operator std::complex<T>() const;
  constexpr T real() const { return re; }
  constexpr T imag() const { return im; }
  void real(T r);
  void imag(T i);
  complex &operator=(const T &r);
  template <class U> complex &operator=(const complex<U> &z);
  complex &operator+=(const T &r);
  complex &operator-=(const T &r);
  complex &operator*=(const T &r);
  complex &operator/=(const T &r);
  template <class U> complex &operator+=(const complex<U> &z);
  template <class U> complex &operator-=(const complex<U> &z);
  template <class U> complex &operator*=(const complex<U> &z);
  template <class U> complex &operator/=(const complex<U> &z);
};
#define CUDALINT_COMPLEX_OP(op) \
  template <class T> complex<T> operator op(const complex<T> &x, const complex<T> &y); \
  template <class T> complex<T> operator op(const complex<T> &x, const std::type_identity_t<T> &y); \
  template <class T> complex<T> operator op(const std::type_identity_t<T> &x, const complex<T> &y);
CUDALINT_COMPLEX_OP(+) CUDALINT_COMPLEX_OP(-) CUDALINT_COMPLEX_OP(*) CUDALINT_COMPLEX_OP(/)
#undef CUDALINT_COMPLEX_OP
template <class T> complex<T> operator+(const complex<T> &x);
template <class T> complex<T> operator-(const complex<T> &x);
template <class T> bool operator==(const complex<T> &x, const complex<T> &y);
template <class T> bool operator!=(const complex<T> &x, const complex<T> &y);
template <class T> bool operator==(const complex<T> &x, const T &y);
template <class T> bool operator!=(const complex<T> &x, const T &y);
template <class T> T abs(const complex<T> &z);
template <class T> T arg(const complex<T> &z);
template <class T> T norm(const complex<T> &z);
template <class T> complex<T> conj(const complex<T> &z);
template <class T> complex<T> proj(const complex<T> &z);
template <class T> complex<T> polar(const T &rho, const T &theta = T());
template <class T> complex<T> pow(const complex<T> &x, const complex<T> &y);
template <class T> complex<T> pow(const complex<T> &x, const std::type_identity_t<T> &y);
template <class T> complex<T> pow(const complex<T> &x, int y);
#define CUDALINT_COMPLEX_FN(name) template <class T> complex<T> name(const complex<T> &z);
CUDALINT_COMPLEX_FN(exp) CUDALINT_COMPLEX_FN(log) CUDALINT_COMPLEX_FN(log10) CUDALINT_COMPLEX_FN(sqrt) CUDALINT_COMPLEX_FN(sin)
CUDALINT_COMPLEX_FN(cos) CUDALINT_COMPLEX_FN(tan) CUDALINT_COMPLEX_FN(sinh) CUDALINT_COMPLEX_FN(cosh) CUDALINT_COMPLEX_FN(tanh)
CUDALINT_COMPLEX_FN(asin) CUDALINT_COMPLEX_FN(acos) CUDALINT_COMPLEX_FN(atan)
#undef CUDALINT_COMPLEX_FN

template <class T> std::ostream &operator<<(std::ostream &os, const complex<T> &z);
}
#pragma clang force_cuda_host_device end
