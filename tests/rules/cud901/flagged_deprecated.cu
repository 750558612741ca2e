// Still there in CUDA 13, with a warning.
#include <cuda_runtime.h>

void load(cudaArray_t table, const float* values, size_t n)
{
    cudaMemcpyToArray(table, 0, 0, values, n * sizeof(float), cudaMemcpyHostToDevice);  // expect: CUD901@5
    cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte);  // expect: CUD901@5
}
