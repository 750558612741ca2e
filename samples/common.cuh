// What every sample needs around its kernel: error checks, a stopwatch, test data and a verdict.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t status_ = (call);                                                                \
        if (status_ != cudaSuccess) {                                                                \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));    \
            std::exit(EXIT_FAILURE);                                                                 \
        }                                                                                            \
    } while (0)

// Times what runs on the default stream between start() and stop().
class Stopwatch {
public:
    Stopwatch()
    {
        CHECK(cudaEventCreate(&begin_));
        CHECK(cudaEventCreate(&end_));
    }
    ~Stopwatch()
    {
        cudaError_t ignored = cudaEventDestroy(begin_);
        ignored = cudaEventDestroy(end_);
        (void)ignored;
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    void start() { CHECK(cudaEventRecord(begin_)); }

    // Milliseconds since start(); waits for the GPU.
    float stop()
    {
        float milliseconds = 0.0f;
        CHECK(cudaEventRecord(end_));
        CHECK(cudaEventSynchronize(end_));
        CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
        return milliseconds;
    }

private:
    cudaEvent_t begin_, end_;
};

// n reproducible values in [0, 1).
inline std::vector<float> test_data(std::size_t n)
{
    std::vector<float> values(n);
    unsigned state = 12345u;
    for (float& value : values) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) / 16777216.0f;
    }
    return values;
}

// Prints the verdict and the bandwidth (useful bytes only); returns what main() should return.
inline int report(const char* name, bool correct, double bytes, float milliseconds)
{
    std::printf("%-28s %s  %8.3f ms  %8.1f GB/s\n", name, correct ? "ok   " : "WRONG", milliseconds,
                bytes / milliseconds * 1e-6);
    return correct ? EXIT_SUCCESS : EXIT_FAILURE;
}
