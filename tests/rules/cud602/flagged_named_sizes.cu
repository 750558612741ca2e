#include <cuda_runtime.h>

#define SIDE 48
constexpr int THREADS = 2048;

struct Shape {
    int threads = THREADS;
};

__global__ void clear(float* x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.0f;
}

template <int Width>
void launch(float* x, int n)
{
    dim3 block(Width, Width);
    clear<<<1, block>>>(x, n);  // expect: CUD602@5
}

static int blocks_for(int n, int per_block)
{
    return (n + per_block - 1) / per_block;
}

void run(float* x, int n)
{
    Shape shape;
    clear<<<1, SIDE * SIDE>>>(x, n);  // expect: CUD602@5
    clear<<<1, shape.threads>>>(x, n);  // expect: CUD602@5
    launch<64>(x, n);
    clear<<<dim3(1, blocks_for(1 << 20, 8)), 128>>>(x, n);  // expect: CUD602@5
}
