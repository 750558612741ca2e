// Names of the runtime API before CUDA 13.
#include <cuda_runtime.h>

texture<float, cudaTextureType2D, cudaReadModeElementType> image;  // expect: CUD901@60

__global__ void blur(float* out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < width)
        out[x] = 0.5f * (tex2D(image, x - 0.5f, 0.5f) + tex2D(image, x + 0.5f, 0.5f));
}

void run(cudaArray_t pixels, float* out, int width)
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    int blocks = properties.clockRate > 0 ? (width + 255) / 256 : 1;  // expect: CUD901@18
    cudaBindTextureToArray(image, pixels);  // expect: CUD901@5
    cudaMemPrefetchAsync(out, width * sizeof(float), 0, nullptr);  // expect: CUD901@5
    blur<<<blocks, 256>>>(out, width);
    cudaThreadSynchronize();  // expect: CUD901@5
    cudaUnbindTexture(image);  // expect: CUD901@5
}
