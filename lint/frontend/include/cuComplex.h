// Complex numbers as pairs.
#pragma once
#include <cudalint_prelude.h>
#pragma clang force_cuda_host_device begin
typedef float2 cuFloatComplex;
float cuCrealf(cuFloatComplex x);
float cuCimagf(cuFloatComplex x);
float cuCabsf(cuFloatComplex x);
cuFloatComplex cuConjf(cuFloatComplex x);
cuFloatComplex make_cuFloatComplex(float r, float i);
cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y);
cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y);
cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y);
cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y);
cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d);
typedef double2 cuDoubleComplex;
double cuCreal(cuDoubleComplex x);
double cuCimag(cuDoubleComplex x);
double cuCabs(cuDoubleComplex x);
cuDoubleComplex cuConj(cuDoubleComplex x);
cuDoubleComplex make_cuDoubleComplex(double r, double i);
cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y);
cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y);
cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y);
cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y);
cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d);
typedef cuFloatComplex cuComplex;
cuComplex make_cuComplex(float x, float y);
cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c);
cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c);
#pragma clang force_cuda_host_device end
