#include <chrono>
#include <cuda_runtime.h>

__global__ void relax(float* u, int n)
{
    int i = threadIdx.x;
    if (i < n) u[i] = 0.5f * (u[i] + u[(i + 1) % n]);
}

// The same launch again and again between two readings of a clock measures the launch.
double cost_of_a_launch(float* u, int repeats)
{
    for (int r = 0; r < repeats; ++r) relax<<<1, 256>>>(u, 256);
    cudaDeviceSynchronize();
    auto begin = std::chrono::steady_clock::now();
    for (int r = 0; r < repeats; ++r) relax<<<1, 256>>>(u, 256);
    cudaDeviceSynchronize();
    auto end = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(end - begin).count() / repeats;
}

// These launches are put into a graph already.
__global__ void shift(float* u, int s)
{
    u[threadIdx.x] += s;
}

void captured(float* u, int steps, cudaStream_t stream, cudaGraph_t* graph)
{
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int s = 0; s < steps; ++s) shift<<<1, 256, 0, stream>>>(u, s);
    cudaStreamEndCapture(stream, graph);
}
