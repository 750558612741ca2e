// Compares two device buffers element by element; built apart as a cubin for the card that is there.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Difference {
    unsigned long long first;       // index of the first element that differs
    unsigned long long count;       // elements that differ
    unsigned long long nan;         // elements that are NaN on one side only
    unsigned long long largest;     // bits of the largest |a - b|, a double
    unsigned long long magnitude;   // bits of the largest finite |a|, a double
};

template <class T> __device__ double value(T x) { return static_cast<double>(x); }
template <> __device__ double value(__half x) { return __half2float(x); }
template <> __device__ double value(__nv_bfloat16 x) { return __bfloat162float(x); }

// The bits of doubles that are not negative are ordered as the doubles are.
__device__ unsigned long long bits(double x) { return static_cast<unsigned long long>(__double_as_longlong(x)); }

template <class T>
__device__ void floats(const T *a, const T *b, size_t count, Difference *out) {
    double largest = 0, magnitude = 0;
    size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
        double x = value(a[i]), y = value(b[i]);
        if (isfinite(x)) magnitude = fmax(magnitude, fabs(x));
        if (x == y || (isnan(x) && isnan(y))) continue;
        atomicMin(&out->first, static_cast<unsigned long long>(i));
        atomicAdd(&out->count, 1ull);
        if (isnan(x) != isnan(y)) atomicAdd(&out->nan, 1ull);
        else largest = fmax(largest, fabs(x - y));
    }
    if (largest > 0) atomicMax(&out->largest, bits(largest));
    if (magnitude > 0) atomicMax(&out->magnitude, bits(magnitude));
}

extern "C" __global__ void differ_f16(const __half *a, const __half *b, size_t count, Difference *out) {
    floats(a, b, count, out);
}
extern "C" __global__ void differ_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, size_t count, Difference *out) {
    floats(a, b, count, out);
}
extern "C" __global__ void differ_f32(const float *a, const float *b, size_t count, Difference *out) {
    floats(a, b, count, out);
}
extern "C" __global__ void differ_f64(const double *a, const double *b, size_t count, Difference *out) {
    floats(a, b, count, out);
}

extern "C" __global__ void differ_bytes(const unsigned char *a, const unsigned char *b, size_t count, Difference *out) {
    size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t words = ((reinterpret_cast<size_t>(a) | reinterpret_cast<size_t>(b)) & 15) ? 0 : count / 16;
    size_t start = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (size_t i = start; i < words; i += step) {
        uint4 x = reinterpret_cast<const uint4 *>(a)[i], y = reinterpret_cast<const uint4 *>(b)[i];
        if (x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w) continue;
        size_t byte = 16 * i;
        while (a[byte] == b[byte]) ++byte;
        atomicMin(&out->first, static_cast<unsigned long long>(byte));
        atomicAdd(&out->count, 1ull);
    }
    for (size_t i = 16 * words + start; i < count; i += step) {
        if (a[i] == b[i]) continue;
        atomicMin(&out->first, static_cast<unsigned long long>(i));
        atomicAdd(&out->count, 1ull);
    }
}

// Other work on the card, so that the blocks of a kernel are scheduled otherwise.
extern "C" __global__ void noise(float *data, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) data[i] += 1.0f;
}
