// The copies and launches of main.cu without a kernel, for the runtime that is none. Arguments: `early` frees too early.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime_api.h>

int main(int argc, char **argv) {
    constexpr size_t CHUNK = 1 << 16, CHUNKS = 16;
    bool early = argc > 1 && strcmp(argv[1], "early") == 0;
    char *in = static_cast<char *>(malloc(CHUNK * CHUNKS)), *out = static_cast<char *>(calloc(CHUNKS, CHUNK));
    memset(in, 7, CHUNK * CHUNKS);
    void *values[2];
    cudaStream_t streams[2];
    for (int s = 0; s < 2; ++s) cudaStreamCreate(&streams[s]), cudaMalloc(&values[s], CHUNK);
    for (size_t i = 0; i < CHUNKS; ++i) {
        cudaMemcpyAsync(values[i % 2], in + i * CHUNK, CHUNK, cudaMemcpyHostToDevice, streams[i % 2]);
        cudaLaunchKernel(reinterpret_cast<void *>(main), dim3(1), dim3(1), nullptr, 0, streams[i % 2]);
        cudaMemcpyAsync(out + i * CHUNK, values[i % 2], CHUNK, cudaMemcpyDeviceToHost, streams[i % 2]);
    }
    if (!early) cudaDeviceSynchronize();
    free(in);
    in = static_cast<char *>(realloc(out, 2 * CHUNK * CHUNKS));
    cudaDeviceSynchronize();
    printf("%d\n", in[0] + in[CHUNK * CHUNKS - 1]);
    free(in);
    return 0;
}
