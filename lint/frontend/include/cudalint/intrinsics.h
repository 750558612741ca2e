// Device arithmetic intrinsics: fast math, rounding modes, bit tricks, conversions and type punning.
#pragma once

#define CUDALINT_ROUND(R, name, ...) \
  R name##_rn(__VA_ARGS__); \
  R name##_rz(__VA_ARGS__); \
  R name##_ru(__VA_ARGS__); \
  R name##_rd(__VA_ARGS__);

CUDALINT_ROUND(float, __fadd, float x, float y)
CUDALINT_ROUND(float, __fsub, float x, float y)
CUDALINT_ROUND(float, __fmul, float x, float y)
CUDALINT_ROUND(float, __fdiv, float x, float y)
CUDALINT_ROUND(float, __fmaf, float x, float y, float z)
CUDALINT_ROUND(float, __fmaf_ieee, float x, float y, float z)
CUDALINT_ROUND(float, __frcp, float x)
CUDALINT_ROUND(float, __fsqrt, float x)
CUDALINT_ROUND(double, __dadd, double x, double y)
CUDALINT_ROUND(double, __dsub, double x, double y)
CUDALINT_ROUND(double, __dmul, double x, double y)
CUDALINT_ROUND(double, __ddiv, double x, double y)
CUDALINT_ROUND(double, __fma, double x, double y, double z)
CUDALINT_ROUND(double, __drcp, double x)
CUDALINT_ROUND(double, __dsqrt, double x)
float __frsqrt_rn(float x);
CUDALINT_ROUND(float2, __fadd2, float2 x, float2 y)
CUDALINT_ROUND(float2, __fmul2, float2 x, float2 y)
CUDALINT_ROUND(float2, __ffma2, float2 x, float2 y, float2 z)

CUDALINT_ROUND(int, __float2int, float x)
CUDALINT_ROUND(unsigned int, __float2uint, float x)
CUDALINT_ROUND(long long, __float2ll, float x)
CUDALINT_ROUND(unsigned long long, __float2ull, float x)
CUDALINT_ROUND(int, __double2int, double x)
CUDALINT_ROUND(unsigned int, __double2uint, double x)
CUDALINT_ROUND(long long, __double2ll, double x)
CUDALINT_ROUND(unsigned long long, __double2ull, double x)
CUDALINT_ROUND(float, __double2float, double x)
CUDALINT_ROUND(float, __int2float, int x)
CUDALINT_ROUND(float, __uint2float, unsigned int x)
CUDALINT_ROUND(float, __ll2float, long long x)
CUDALINT_ROUND(float, __ull2float, unsigned long long x)
CUDALINT_ROUND(double, __ll2double, long long x)
CUDALINT_ROUND(double, __ull2double, unsigned long long x)
double __int2double_rn(int x);
double __uint2double_rn(unsigned int x);
#undef CUDALINT_ROUND

float __sinf(float x);
float __cosf(float x);
float __tanf(float x);
float __tanhf(float x);
float __expf(float x);
float __exp10f(float x);
float __logf(float x);
float __log2f(float x);
float __log10f(float x);
float __powf(float x, float y);
float __fdividef(float x, float y);
float __saturatef(float x);
void __sincosf(float x, float *sptr, float *cptr);
float saturate(float x);

int __clz(int x);
int __clzll(long long x);
int __ffs(int x);
int __ffsll(long long x);
int __popc(unsigned int x);
int __popcll(unsigned long long x);
unsigned int __brev(unsigned int x);
unsigned long long __brevll(unsigned long long x);
unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s);
unsigned int __fns(unsigned int mask, unsigned int base, int offset);
unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift);
unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift);
unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift);
unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift);
int __mul24(int x, int y);
unsigned int __umul24(unsigned int x, unsigned int y);
int mul24(int x, int y);
unsigned int umul24(unsigned int x, unsigned int y);
int __mulhi(int x, int y);
unsigned int __umulhi(unsigned int x, unsigned int y);
int mulhi(int x, int y);
unsigned int umulhi(unsigned int x, unsigned int y);
long long __mul64hi(long long x, long long y);
unsigned long long __umul64hi(unsigned long long x, unsigned long long y);
int __sad(int x, int y, unsigned int z);
unsigned int __usad(unsigned int x, unsigned int y, unsigned int z);
int __hadd(int x, int y);
int __rhadd(int x, int y);
unsigned int __uhadd(unsigned int x, unsigned int y);
unsigned int __urhadd(unsigned int x, unsigned int y);
int __dp4a(int srcA, int srcB, int c);
unsigned int __dp4a(unsigned int srcA, unsigned int srcB, unsigned int c);
int __dp4a(char4 srcA, char4 srcB, int c);
unsigned int __dp4a(uchar4 srcA, uchar4 srcB, unsigned int c);
int __dp2a_lo(int srcA, int srcB, int c);
int __dp2a_hi(int srcA, int srcB, int c);
int __dp2a_lo(short2 srcA, char4 srcB, int c);
int __dp2a_hi(short2 srcA, char4 srcB, int c);
unsigned int __dp2a_lo(unsigned int srcA, unsigned int srcB, unsigned int c);
unsigned int __dp2a_hi(unsigned int srcA, unsigned int srcB, unsigned int c);

float __int_as_float(int x);
int __float_as_int(float x);
float __uint_as_float(unsigned int x);
unsigned int __float_as_uint(float x);
double __longlong_as_double(long long x);
long long __double_as_longlong(double x);
double __hiloint2double(int hi, int lo);
int __double2loint(double x);
int __double2hiint(double x);
int __finitef(float x);
int __isnanf(float x);
int __isinff(float x);
int float2int(float x);
float fdivide(float x, float y);
double fdivide(double x, double y);
float int_as_float(int x);
int float_as_int(float x);

long long clock64();
void __nanosleep(unsigned int ns);
void __trap();
void __brkpt(int c = 0);
void __prof_trigger(int e);
unsigned int __pm0();
void __assertfail(const char *message, const char *file, unsigned int line, const char *function, size_t charsize);
