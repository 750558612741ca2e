// The project's own checks, defined in another file: in its namespace, or named like the runtime's functions.
#include <cuda_runtime.h>

namespace app {
void check(const char* file, int line);
}
void cudaCheckLaunch(const char* file, int line);

template <typename T>
__global__ void fill(T* out, T value)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

template <typename T>
struct Field {
    void clear(T value);
    T* data;
    int blocks;
};

template <typename T>
void Field<T>::clear(T value)
{
    fill<T><<<blocks, 256>>>(data, value);
    app::check(__FILE__, __LINE__);
}

void zero(float* out, int blocks)
{
    fill<<<blocks, 256>>>(out, 0.0f);
    cudaCheckLaunch(__FILE__, __LINE__);
}

int main()
{
    Field<float> field{nullptr, 4};
    field.clear(0.0f);
    zero(field.data, 4);
}
