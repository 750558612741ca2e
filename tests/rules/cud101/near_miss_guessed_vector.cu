// Nothing here says what WIDTH is; where a vector holds as many elements, lanes are side by side.
#include <cuda_runtime.h>

template <typename Vector, typename Element, int WIDTH>
__global__ void scale(const Element* in, Element* out, Element by, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * WIDTH;
    if (i >= n) return;
    Vector values = *(const Vector*)&in[i];
    for (int k = 0; k < WIDTH; k++) ((Element*)&values)[k] *= by;
    *(Vector*)&out[i] = values;
}
