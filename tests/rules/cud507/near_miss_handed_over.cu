#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                       \
    do {                                                  \
        cudaError_t status = (call);                      \
        if (status != cudaSuccess) {                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            std::exit(1);                                 \
        }                                                 \
    } while (0)

#include <memory>
#include <utility>
#include <vector>

// Returned, kept in a member or a table, given to an owner, released by a helper: somebody else holds it.
struct Release {
    void operator()(float* p) const { (void)cudaFree(p); }
};

std::unique_ptr<float, Release> owned(size_t n)
{
    float* raw = nullptr;
    CHECK(cudaMalloc(&raw, n * sizeof(float)));
    return std::unique_ptr<float, Release>(raw);
}

class Field {
    float* data_ = nullptr;

public:
    explicit Field(size_t n) { CHECK(cudaMalloc(&data_, n * sizeof(float))); }
    Field(const Field&) = delete;
    ~Field() { (void)cudaFree(data_); }
    float* data() { return data_; }
};

void table(std::vector<float*>& buffers, int count, size_t bytes)
{
    for (int i = 0; i < count; ++i) {
        float* one = nullptr;
        CHECK(cudaMalloc(&one, bytes));
        buffers.push_back(one);
    }
}

static void drop(float* p)
{
    if (p) CHECK(cudaFree(p));
}

void scratch(size_t bytes)
{
    float* tmp = nullptr;
    CHECK(cudaMalloc(&tmp, bytes));
    CHECK(cudaMemset(tmp, 0, bytes));
    drop(tmp);
}

cudaStream_t worker_stream()
{
    static cudaStream_t stream = nullptr;
    if (!stream) CHECK(cudaStreamCreate(&stream));
    return stream;
}

std::pair<float*, size_t> with_size(size_t n)
{
    float* data = nullptr;
    CHECK(cudaMalloc(&data, n * sizeof(float)));
    return {data, n};
}

void double_buffered(size_t bytes, int steps)
{
    float *from = nullptr, *to = nullptr;
    CHECK(cudaMalloc(&from, bytes));
    CHECK(cudaMalloc(&to, bytes));
    for (int s = 0; s < steps; ++s) {
        CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));
        std::swap(from, to);
    }
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
}

void regrown(size_t bytes, int rounds)
{
    float* tmp;
    for (int r = 0; r < rounds; ++r) {
        if (r > 0) CHECK(cudaFree(tmp));
        CHECK(cudaMalloc(&tmp, bytes << r));
        CHECK(cudaMemset(tmp, 0, bytes << r));
    }
    if (rounds > 0) CHECK(cudaFree(tmp));
}

// Only the first iteration makes the graph: the others find it made.
void made_once(float* x, int n, int steps, cudaStream_t stream)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t run = nullptr;
    bool made = false;
    for (int s = 0; s < steps; ++s) {
        if (!made) {
            CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
            CHECK(cudaMemsetAsync(x, 0, n * sizeof(float), stream));
            CHECK(cudaStreamEndCapture(stream, &graph));
            CHECK(cudaGraphInstantiate(&run, graph, nullptr, nullptr, 0));
            made = true;
        }
        CHECK(cudaGraphLaunch(run, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(run));
    CHECK(cudaGraphDestroy(graph));
}
