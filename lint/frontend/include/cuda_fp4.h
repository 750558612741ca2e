// Four-bit floating point.
#pragma once
#include <cuda_fp8.h>
#include <device_types.h>
#pragma clang force_cuda_host_device begin
typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
enum __nv_fp4_interpretation_t { __NV_E2M1 };
__nv_fp4_storage_t __nv_cvt_float_to_fp4(float x, __nv_fp4_interpretation_t fp4_interpretation, cudaRoundMode rounding);
__nv_fp4_storage_t __nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t fp4_interpretation, cudaRoundMode rounding);
__nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(__half_raw x, __nv_fp4_interpretation_t fp4_interpretation, cudaRoundMode rounding);
__nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw x, __nv_fp4_interpretation_t fp4_interpretation, cudaRoundMode rounding);
__nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(float2 x, __nv_fp4_interpretation_t fp4_interpretation, cudaRoundMode rounding);
__nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(__half2_raw x, __nv_fp4_interpretation_t fp4_interpretation, cudaRoundMode rounding);
__half_raw __nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t fp4_interpretation);
__half2_raw __nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x, __nv_fp4_interpretation_t fp4_interpretation);
struct __nv_fp4_e2m1 {
  __nv_fp4_storage_t __x;
  __nv_fp4_e2m1() = default;
  explicit __nv_fp4_e2m1(__half f);
  explicit __nv_fp4_e2m1(__nv_bfloat16 f);
  explicit __nv_fp4_e2m1(float f);
  explicit __nv_fp4_e2m1(double f);
  explicit __nv_fp4_e2m1(int val);
  explicit operator __half() const;
  explicit operator __nv_bfloat16() const;
  explicit operator float() const;
  explicit operator double() const;
};
struct alignas(1) __nv_fp4x2_e2m1 {
  __nv_fp4x2_storage_t __x;
  __nv_fp4x2_e2m1() = default;
  explicit __nv_fp4x2_e2m1(float2 f);
  explicit __nv_fp4x2_e2m1(double2 f);
  explicit __nv_fp4x2_e2m1(__half2 f);
  explicit __nv_fp4x2_e2m1(__nv_bfloat162 f);
  explicit operator float2() const;
  explicit operator __half2() const;
};
struct alignas(2) __nv_fp4x4_e2m1 {
  __nv_fp4x4_storage_t __x;
  __nv_fp4x4_e2m1() = default;
  explicit __nv_fp4x4_e2m1(float4 f);
  explicit __nv_fp4x4_e2m1(double4 f);
  explicit __nv_fp4x4_e2m1(__half2 flo, __half2 fhi);
  explicit __nv_fp4x4_e2m1(__nv_bfloat162 flo, __nv_bfloat162 fhi);
  explicit operator float4() const;
};
#pragma clang force_cuda_host_device end
