// Eight-bit floating point.
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <device_types.h>
#pragma clang force_cuda_host_device begin
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
__nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t fp8_interpretation);
__nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate, __nv_fp8_interpretation_t fp8_interpretation);
__nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate, __nv_fp8_interpretation_t fp8_interpretation);
__nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t fp8_interpretation);
__nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t fp8_interpretation);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate, __nv_fp8_interpretation_t fp8_interpretation);
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t fp8_interpretation);
__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t fp8_interpretation);
__nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate, cudaRoundMode rounding);
__nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x);
__nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x);
#define CUDALINT_FP8(name) \
  struct name { \
    __nv_fp8_storage_t __x; \
    name() = default; \
    explicit name(__half f); \
    explicit name(__nv_bfloat16 f); \
    explicit name(float f); \
    explicit name(double f); \
    explicit name(int val); \
    explicit name(unsigned int val); \
    explicit operator __half() const; \
    explicit operator __nv_bfloat16() const; \
    explicit operator float() const; \
    explicit operator double() const; \
    explicit operator int() const; \
    explicit operator bool() const; \
  };
CUDALINT_FP8(__nv_fp8_e4m3)
CUDALINT_FP8(__nv_fp8_e5m2)
CUDALINT_FP8(__nv_fp8_e8m0)
#undef CUDALINT_FP8
#define CUDALINT_FP8X(name, size) \
  struct alignas(size) name { \
    unsigned char __x[size]; \
    name() = default; \
    explicit name(float2 f); \
    explicit name(double2 f); \
    explicit name(float4 f); \
    explicit name(__half2 f); \
    explicit name(__nv_bfloat162 f); \
    explicit name(__half2 flo, __half2 fhi); \
    explicit name(__nv_bfloat162 flo, __nv_bfloat162 fhi); \
    explicit operator float2() const; \
    explicit operator float4() const; \
    explicit operator __half2() const; \
  };
CUDALINT_FP8X(__nv_fp8x2_e4m3, 2)
CUDALINT_FP8X(__nv_fp8x2_e5m2, 2)
CUDALINT_FP8X(__nv_fp8x4_e4m3, 4)
CUDALINT_FP8X(__nv_fp8x4_e5m2, 4)
#undef CUDALINT_FP8X
#pragma clang force_cuda_host_device end
