// cuBLAS, with the calls of the legacy interface that have no handle.
#pragma once
#include <cublas_v2.h>
extern "C" {
cublasStatus cublasInit();
cublasStatus cublasShutdown();
cublasStatus cublasGetError();
cublasStatus cublasAlloc(int n, int elemSize, void **devicePtr);
cublasStatus cublasFree(void *devicePtr);
}
float cublasSdot(int n, const float *x, int incx, const float *y, int incy);
float cublasSnrm2(int n, const float *x, int incx);
void cublasSaxpy(int n, float alpha, const float *x, int incx, float *y, int incy);
void cublasSscal(int n, float alpha, float *x, int incx);
void cublasSgemm(char transa, char transb, int m, int n, int k, float alpha, const float *A, int lda, const float *B, int ldb, float beta, float *C, int ldc);
void cublasDgemm(char transa, char transb, int m, int n, int k, double alpha, const double *A, int lda, const double *B, int ldb, double beta, double *C, int ldc);
