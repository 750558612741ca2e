// Histograms as they are written: in a function, behind a range check, in two steps, by field, a table per block.
#include <cuda_runtime.h>

struct Bin {
    int count;
    float sum;
};

__device__ int bin_of(float value, float scale, int bins)
{
    int bin = (int)(value * scale);
    return bin < bins ? bin : bins - 1;
}

__device__ void bump(int* bins, int bin)
{
    bins[bin]++;  // expect: CUD405@5
}

__global__ void by_function(const float* data, int* bins, int count, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) bump(bins, bin_of(data[i], scale, count));
}

__global__ void in_range(const int* data, int* bins, int count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bin = data[i];
    if (bin >= 0 && bin < count) bins[bin] += 1;  // expect: CUD405@34
}

__global__ void in_two_steps(const unsigned char* data, int* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int bin = data[i];
    int before = bins[bin];
    bins[bin] = before + 1;  // expect: CUD405@5
}

__global__ void by_field(const float* data, Bin* bins, float scale, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bin* bin = bins + (int)(data[i] * scale);
    bin->count++;         // expect: CUD405@5
    bin->sum += data[i];  // expect: CUD405@5
}

__device__ void raise(int& bin, const int& by)
{
    bin += by;  // expect: CUD405@5
}

__global__ void by_reference(const int* data, int* bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) raise(bins[data[i] & 63], data[n + i]);
}

__global__ void table_per_block(const unsigned char* data, int* tables, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) tables[blockIdx.x * 256 + data[i]]++;  // expect: CUD405@16
}

void run(const float* values, const int* keys, const unsigned char* bytes, int* bins, Bin* records, int n)
{
    by_function<<<(n + 255) / 256, 256>>>(values, bins, 64, 64.0f, n);
    in_range<<<(n + 255) / 256, 256>>>(keys, bins, 64, n);
    in_two_steps<<<(n + 255) / 256, 256>>>(bytes, bins, n);
    by_field<<<(n + 255) / 256, 256>>>(values, records, 64.0f, n);
    by_reference<<<(n + 255) / 256, 256>>>(keys, bins, n);
    table_per_block<<<(n + 255) / 256, 256>>>(bytes, bins, n);
}
