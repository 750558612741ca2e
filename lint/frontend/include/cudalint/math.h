// C and CUDA math: double functions, their f-suffixed twins, and the C++ overloads nvcc adds.
#pragma once

#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FP_NAN 0
#define FP_INFINITE 1
#define FP_ZERO 2
#define FP_SUBNORMAL 3
#define FP_NORMAL 4
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_PIf 3.14159265358979323846f
#define M_PIl 3.141592653589793238462643383279502884L

typedef float float_t;
typedef double double_t;

// One argument: name for double, namef for float, namel for long double, and overloads of name.
#define CUDALINT_MATH1(name) \
  extern "C" double name(double x) noexcept; \
  extern "C" float name##f(float x) noexcept; \
  extern "C" long double name##l(long double x) noexcept; \
  float name(float x) noexcept; \
  long double name(long double x) noexcept;
#define CUDALINT_MATH2(name) \
  extern "C" double name(double x, double y) noexcept; \
  extern "C" float name##f(float x, float y) noexcept; \
  extern "C" long double name##l(long double x, long double y) noexcept; \
  float name(float x, float y) noexcept; \
  long double name(long double x, long double y) noexcept;

CUDALINT_MATH1(acos) CUDALINT_MATH1(asin) CUDALINT_MATH1(atan) CUDALINT_MATH1(cos) CUDALINT_MATH1(sin)
CUDALINT_MATH1(tan) CUDALINT_MATH1(acosh) CUDALINT_MATH1(asinh) CUDALINT_MATH1(atanh) CUDALINT_MATH1(cosh)
CUDALINT_MATH1(sinh) CUDALINT_MATH1(tanh) CUDALINT_MATH1(exp) CUDALINT_MATH1(exp2) CUDALINT_MATH1(expm1)
CUDALINT_MATH1(log) CUDALINT_MATH1(log2) CUDALINT_MATH1(log10) CUDALINT_MATH1(log1p) CUDALINT_MATH1(logb)
CUDALINT_MATH1(sqrt) CUDALINT_MATH1(cbrt) CUDALINT_MATH1(erf) CUDALINT_MATH1(erfc) CUDALINT_MATH1(lgamma)
CUDALINT_MATH1(tgamma) CUDALINT_MATH1(ceil) CUDALINT_MATH1(floor) CUDALINT_MATH1(trunc) CUDALINT_MATH1(round)
CUDALINT_MATH1(rint) CUDALINT_MATH1(nearbyint) CUDALINT_MATH1(fabs)
CUDALINT_MATH2(atan2) CUDALINT_MATH2(pow) CUDALINT_MATH2(hypot) CUDALINT_MATH2(fmod) CUDALINT_MATH2(remainder)
CUDALINT_MATH2(copysign) CUDALINT_MATH2(nextafter) CUDALINT_MATH2(fdim) CUDALINT_MATH2(fmax) CUDALINT_MATH2(fmin)

// The functions that only CUDA has.
#define CUDALINT_CUDA_MATH1(name) \
  extern "C" double name(double x) noexcept; \
  extern "C" float name##f(float x) noexcept; \
  float name(float x) noexcept;
CUDALINT_CUDA_MATH1(rsqrt) CUDALINT_CUDA_MATH1(rcbrt) CUDALINT_CUDA_MATH1(sinpi) CUDALINT_CUDA_MATH1(cospi)
CUDALINT_CUDA_MATH1(exp10) CUDALINT_CUDA_MATH1(erfinv) CUDALINT_CUDA_MATH1(erfcinv) CUDALINT_CUDA_MATH1(erfcx)
CUDALINT_CUDA_MATH1(normcdf) CUDALINT_CUDA_MATH1(normcdfinv) CUDALINT_CUDA_MATH1(cyl_bessel_i0)
CUDALINT_CUDA_MATH1(cyl_bessel_i1) CUDALINT_CUDA_MATH1(j0) CUDALINT_CUDA_MATH1(j1) CUDALINT_CUDA_MATH1(y0)
CUDALINT_CUDA_MATH1(y1)

#undef CUDALINT_MATH1
#undef CUDALINT_MATH2
#undef CUDALINT_CUDA_MATH1

extern "C" {
double fma(double x, double y, double z) noexcept;
float fmaf(float x, float y, float z) noexcept;
double ldexp(double x, int exp) noexcept;
float ldexpf(float x, int exp) noexcept;
double scalbn(double x, int n) noexcept;
float scalbnf(float x, int n) noexcept;
double scalbln(double x, long n) noexcept;
float scalblnf(float x, long n) noexcept;
double frexp(double x, int *nptr) noexcept;
float frexpf(float x, int *nptr) noexcept;
double modf(double x, double *iptr) noexcept;
float modff(float x, float *iptr) noexcept;
double remquo(double x, double y, int *quo) noexcept;
float remquof(float x, float y, int *quo) noexcept;
int ilogb(double x) noexcept;
int ilogbf(float x) noexcept;
long lrint(double x) noexcept;
long lrintf(float x) noexcept;
long lround(double x) noexcept;
long lroundf(float x) noexcept;
long long llrint(double x) noexcept;
long long llrintf(float x) noexcept;
long long llround(double x) noexcept;
long long llroundf(float x) noexcept;
double nan(const char *tagp) noexcept;
float nanf(const char *tagp) noexcept;
double jn(int n, double x) noexcept;
float jnf(int n, float x) noexcept;
double yn(int n, double x) noexcept;
float ynf(int n, float x) noexcept;
void sincos(double x, double *sptr, double *cptr) noexcept;
void sincosf(float x, float *sptr, float *cptr) noexcept;
void sincospi(double x, double *sptr, double *cptr) noexcept;
void sincospif(float x, float *sptr, float *cptr) noexcept;
double rhypot(double x, double y) noexcept;
float rhypotf(float x, float y) noexcept;
double norm(int dim, const double *p) noexcept;
float normf(int dim, const float *p) noexcept;
double rnorm(int dim, const double *p) noexcept;
float rnormf(int dim, const float *p) noexcept;
double norm3d(double a, double b, double c) noexcept;
float norm3df(float a, float b, float c) noexcept;
double rnorm3d(double a, double b, double c) noexcept;
float rnorm3df(float a, float b, float c) noexcept;
double norm4d(double a, double b, double c, double d) noexcept;
float norm4df(float a, float b, float c, float d) noexcept;
double rnorm4d(double a, double b, double c, double d) noexcept;
float rnorm4df(float a, float b, float c, float d) noexcept;
float fdividef(float x, float y) noexcept;
double pow10(double x) noexcept;
float pow10f(float x) noexcept;
double gamma(double x) noexcept;
double lgamma_r(double x, int *signp) noexcept;
float lgammaf_r(float x, int *signp) noexcept;
int abs(int a) noexcept;
long labs(long a) noexcept;
long long llabs(long long a) noexcept;
unsigned int umin(unsigned int a, unsigned int b) noexcept;
unsigned int umax(unsigned int a, unsigned int b) noexcept;
long long llmin(long long a, long long b) noexcept;
long long llmax(long long a, long long b) noexcept;
unsigned long long ullmin(unsigned long long a, unsigned long long b) noexcept;
unsigned long long ullmax(unsigned long long a, unsigned long long b) noexcept;
}

long abs(long a) noexcept;
long long abs(long long a) noexcept;
float abs(float a) noexcept;
double abs(double a) noexcept;
long double abs(long double a) noexcept;
float fma(float x, float y, float z) noexcept;
float ldexp(float x, int exp) noexcept;
float scalbn(float x, int n) noexcept;
float frexp(float x, int *nptr) noexcept;
float modf(float x, float *iptr) noexcept;
float remquo(float x, float y, int *quo) noexcept;
int ilogb(float x) noexcept;
long lrint(float x) noexcept;
long lround(float x) noexcept;
long long llrint(float x) noexcept;
long long llround(float x) noexcept;
void sincos(float x, float *sptr, float *cptr) noexcept;
void sincospi(float x, float *sptr, float *cptr) noexcept;
float pow(float x, int y) noexcept;
double pow(double x, int y) noexcept;

int signbit(float x) noexcept;
int signbit(double x) noexcept;
int isinf(float x) noexcept;
int isinf(double x) noexcept;
int isnan(float x) noexcept;
int isnan(double x) noexcept;
int isfinite(float x) noexcept;
int isfinite(double x) noexcept;
int isnormal(float x) noexcept;
int isnormal(double x) noexcept;
int finite(double x) noexcept;
int finitef(float x) noexcept;
int isinff(float x) noexcept;
int isnanf(float x) noexcept;
int isfinitef(float x) noexcept;
int fpclassify(double x) noexcept;

// Integer arguments promote to double, as <cmath> has it.
namespace cudalint {
template <class T, bool = __is_integral(T)> struct promote_int {};
template <class T> struct promote_int<T, true> { typedef double type; };
template <class T> struct as_float { typedef double type; };
template <> struct as_float<float> { typedef float type; };
template <> struct as_float<long double> { typedef long double type; };
template <class T, class U, bool = __is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U)> struct promote2 {};
template <class T, class U> struct promote2<T, U, true> {
  typedef decltype(typename as_float<T>::type() + typename as_float<U>::type()) type;
};
}
#define CUDALINT_INT1(name) template <class T> typename cudalint::promote_int<T>::type name(T x) noexcept;
#define CUDALINT_INT2(name) \
  template <class T, class U> typename cudalint::promote2<T, U>::type name(T x, U y) noexcept; \
  template <class T> typename cudalint::promote_int<T>::type name(T x, T y) noexcept;
CUDALINT_INT1(acos) CUDALINT_INT1(asin) CUDALINT_INT1(atan) CUDALINT_INT1(cos) CUDALINT_INT1(sin) CUDALINT_INT1(tan)
CUDALINT_INT1(cosh) CUDALINT_INT1(sinh) CUDALINT_INT1(tanh) CUDALINT_INT1(exp) CUDALINT_INT1(exp2)
CUDALINT_INT1(log) CUDALINT_INT1(log2) CUDALINT_INT1(log10) CUDALINT_INT1(log1p) CUDALINT_INT1(sqrt)
CUDALINT_INT1(cbrt) CUDALINT_INT1(ceil) CUDALINT_INT1(floor) CUDALINT_INT1(trunc) CUDALINT_INT1(round)
CUDALINT_INT1(rint) CUDALINT_INT1(fabs) CUDALINT_INT1(rsqrt) CUDALINT_INT1(lgamma) CUDALINT_INT1(tgamma)
CUDALINT_INT2(atan2) CUDALINT_INT2(pow) CUDALINT_INT2(hypot) CUDALINT_INT2(fmod) CUDALINT_INT2(copysign)
CUDALINT_INT2(fmax) CUDALINT_INT2(fmin)
template <class T> bool isnan(T x) noexcept;
template <class T> bool isinf(T x) noexcept;
template <class T> bool isfinite(T x) noexcept;
#undef CUDALINT_INT1
#undef CUDALINT_INT2

#define CUDALINT_MINMAX(T) \
  T min(T a, T b) noexcept; \
  T max(T a, T b) noexcept;
CUDALINT_MINMAX(int) CUDALINT_MINMAX(unsigned int) CUDALINT_MINMAX(long) CUDALINT_MINMAX(unsigned long)
CUDALINT_MINMAX(long long) CUDALINT_MINMAX(unsigned long long) CUDALINT_MINMAX(float) CUDALINT_MINMAX(double)
#undef CUDALINT_MINMAX
#define CUDALINT_MIXED(R, A, B) \
  R min(A a, B b) noexcept; \
  R max(A a, B b) noexcept;
CUDALINT_MIXED(unsigned int, int, unsigned int) CUDALINT_MIXED(unsigned int, unsigned int, int)
CUDALINT_MIXED(unsigned long, long, unsigned long) CUDALINT_MIXED(unsigned long, unsigned long, long)
CUDALINT_MIXED(unsigned long long, long long, unsigned long long)
CUDALINT_MIXED(unsigned long long, unsigned long long, long long)
CUDALINT_MIXED(double, float, double) CUDALINT_MIXED(double, double, float)
#undef CUDALINT_MIXED
