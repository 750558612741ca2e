#include <cuda_runtime.h>

__constant__ float weights[9];

struct Node {
    Node* next;
    int value;
};

// Tables of pointers are measured in pointers.
float** rows(float* const* host, int n)
{
    float** dev = nullptr;
    cudaMalloc(&dev, n * sizeof(float*));
    cudaMemcpy(dev, host, n * sizeof(host[0]), cudaMemcpyHostToDevice);
    return dev;
}

Node* nodes(int n)
{
    Node* dev = nullptr;
    cudaMalloc(&dev, n * sizeof(*dev));
    return dev;
}

void prepare(int* distance, unsigned char* flags, bool* seen, int* one, const float* host, int n)
{
    cudaMemset(distance, 0x7f, n * sizeof(int));   // a large number, written as what it is
    cudaMemset(distance, -1, n * sizeof(int));     // all ones are minus one
    cudaMemset(flags, 1, n);
    cudaMemset(seen, true, n * sizeof(bool));
    cudaMemset(one, 10, 1);                        // the lowest byte of a number that is zero
    cudaMemcpyToSymbol(weights, host, sizeof(weights));
    void* address = nullptr;
    cudaGetSymbolAddress(&address, weights);
    cudaMemcpy(address, host, sizeof(weights), cudaMemcpyHostToDevice);
}

// Which direction it is depends on what the caller gives.
static void to_device(float* dev, const float* from, int n, bool on_host)
{
    if (on_host)
        cudaMemcpy(dev, from, n * sizeof(float), cudaMemcpyHostToDevice);
    else
        cudaMemcpy(dev, from, n * sizeof(float), cudaMemcpyDeviceToDevice);
}

void both(float* dev, int n, bool on_host)
{
    float local[16] = {};
    to_device(dev, local, 16, on_host);
}
