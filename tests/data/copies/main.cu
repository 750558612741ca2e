// A program that streams a large array through the device in chunks, from pageable memory.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t status = (call);                                                  \
        if (status != cudaSuccess) {                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));           \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

constexpr int CHUNK = 1 << 20, CHUNKS = 32, STREAMS = 2, PASSES = 3;

// Long enough for a copy of the other stream's chunk to run beside it.
__global__ void refine(float *values, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float x = values[i];
    for (int step = 0; step < 8000; ++step) x = x * 0.9999f + 0.25f;
    values[i] = x;
}

static float *filled(size_t count) {
    float *made = static_cast<float *>(malloc(count * sizeof(float)));
    for (size_t i = 0; i < count; ++i) made[i] = float(i % 1000);
    return made;
}

int main() {
    const size_t count = size_t(CHUNK) * CHUNKS, bytes = CHUNK * sizeof(float);
    float *in = filled(count);
    float *out = static_cast<float *>(malloc(count * sizeof(float)));
    float *values[STREAMS];
    cudaStream_t streams[STREAMS];
    for (int s = 0; s < STREAMS; ++s) {
        CHECK(cudaStreamCreate(&streams[s]));
        CHECK(cudaMalloc(&values[s], bytes));
    }
    for (int pass = 0; pass < PASSES; ++pass)
        for (int chunk = 0; chunk < CHUNKS; ++chunk) {
            int s = chunk % STREAMS;
            size_t at = size_t(chunk) * CHUNK;
            CHECK(cudaMemcpyAsync(values[s], in + at, bytes, cudaMemcpyHostToDevice, streams[s]));
            refine<<<CHUNK / 256, 256, 0, streams[s]>>>(values[s], CHUNK);
            CHECK(cudaGetLastError());
            CHECK(cudaMemcpyAsync(out + at, values[s], bytes, cudaMemcpyDeviceToHost, streams[s]));
        }
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += out[i];
    printf("mean %.6f of %zu\n", sum / double(count), count);
    for (int s = 0; s < STREAMS; ++s) {
        CHECK(cudaFree(values[s]));
        CHECK(cudaStreamDestroy(streams[s]));
    }
    free(out);
    free(in);
    return 0;
}
