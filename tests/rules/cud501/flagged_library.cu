#include <cstdio>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#define CHECK(call)                                                \
    do {                                                           \
        if ((call) != cudaSuccess) {                               \
            std::fprintf(stderr, "%s:%d\n", __FILE__, __LINE__);   \
            std::exit(1);                                          \
        }                                                          \
    } while (0)

#define CHECK_BLAS(call)                                           \
    do {                                                           \
        if ((call) != CUBLAS_STATUS_SUCCESS) {                     \
            std::fprintf(stderr, "%s:%d\n", __FILE__, __LINE__);   \
            std::exit(1);                                          \
        }                                                          \
    } while (0)

void product(float* c, const float* a, const float* b, int n)
{
    const float one = 1.0f, zero = 0.0f;
    cublasHandle_t handle;
    CHECK_BLAS(cublasCreate(&handle));
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);  // expect: CUD501@5
    CHECK(cudaDeviceSynchronize());
    cublasDestroy(handle);
}
