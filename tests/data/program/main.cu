// A program whose kernels cannot be run without it: sizes come from the command line and constant memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "transpose.cuh"

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) {                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));           \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

static __device__ unsigned int launches;

// Each block reverses a piece in shared memory, without waiting for the others' writes.
static __global__ void reverse(int *data) {
    __shared__ int piece[256];
    int at = blockIdx.x * 256 + threadIdx.x;
    piece[threadIdx.x] = data[at];
    data[at] = piece[255 - threadIdx.x];
    if (at == 0) ++launches;
}

__global__ void scale(float *data, const int *order, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) data[order[i]] *= 1.000001;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    size_t bytes = sizeof(float) * n * n;
    std::vector<float> host(size_t(n) * n, 1.0f);
    std::vector<int> order(size_t(n) * n);
    for (size_t i = 0; i < order.size(); ++i) order[i] = int(order.size() - 1 - i);
    float *in, *out;
    int *indices;
    CHECK(cudaMemcpyToSymbol(width, &n, sizeof n));
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMalloc(&indices, sizeof(int) * n * n));
    CHECK(cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(indices, order.data(), sizeof(int) * n * n, cudaMemcpyHostToDevice));
    transpose<float><<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(in, out);
    CHECK(cudaGetLastError());
    scale<<<(n * n + 255) / 256, 256>>>(out, indices, n * n);
    CHECK(cudaGetLastError());
    reverse<<<n * n / 256, 256>>>(indices);
    CHECK(cudaGetLastError());
    for (int step = 0; step < 100; ++step) {
        float *scratch;
        CHECK(cudaMalloc(&scratch, bytes));
        CHECK(cudaMemcpy(scratch, in, bytes, cudaMemcpyDeviceToDevice));
        CHECK(cudaFree(scratch));
    }
    CHECK(cudaMemcpy(host.data(), out, bytes, cudaMemcpyDeviceToHost));
    printf("last %f\n", host.back());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(indices));
    return 0;
}
