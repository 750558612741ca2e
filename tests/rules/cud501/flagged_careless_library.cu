#include <cublas_v2.h>
#include <cuda_runtime.h>

// Where nothing is looked at, library calls are counted with the others, once for the file.
void product(float* c, const float* a, const float* b, int n)
{
    const float one = 1.0f, zero = 0.0f;
    cublasHandle_t handle;
    cublasCreate(&handle);  // expect: CUD501@5
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
    cudaDeviceSynchronize();
    cublasDestroy(handle);
}
