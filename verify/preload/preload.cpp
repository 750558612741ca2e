// Preloaded into a program that is built and run for verification: sees its allocations and kernel launches.
//
// Does nothing unless CUDALINT_PRELOAD names a folder with a job (job.hpp). In nvcc it writes down the command line.
#include <errno.h>

#include <algorithm>
#include <set>

#include "copies.hpp"
#include "experiment.hpp"

namespace preload {
namespace {

// ---- nvcc ----------------------------------------------------------------------------------------------------

// nvcc-TIME-PID: working folder and arguments, each ended by a zero byte.
__attribute__((constructor)) void log_compiler() {
    if (!getenv("CUDALINT_PRELOAD") || strcmp(program_invocation_short_name, "nvcc") != 0) return;
    char folder[4096];
    if (!getcwd(folder, sizeof folder)) return;
    std::ifstream own("/proc/self/cmdline", std::ios::binary);
    std::stringstream arguments;
    arguments << own.rdbuf();
    timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    char name[80];
    snprintf(name, sizeof name, "nvcc-%012lld.%09ld-%d", static_cast<long long>(at.tv_sec), at.tv_nsec, getpid());
    put(name, std::string(folder) + '\0' + arguments.str());
}

// ---- timing of the whole program -----------------------------------------------------------------------------

__attribute__((destructor)) void report_clock() {
    Clock &c = program_clock();
    if (!in_mode("time") || c.first == 0) return;
    char text[160];
    snprintf(text, sizeof text, "%.9g\t%ld\t%.9g\n", (c.last - c.first - c.paused) * 1e3, c.allocations, c.allocating * 1e3);
    append("time.txt", text);
}

#ifdef PRELOAD_HOST_MEMORY
__attribute__((constructor)) void track_host_memory() { begin_copies(); }
#endif

// ---- launches ------------------------------------------------------------------------------------------------

constexpr int REPORTED = 32;  // launches of each kernel that a report holds
constexpr int MAX_IDLE = 20;  // launches that change nothing before a kernel is given up

int counted(const std::string &kernel) {
    static auto *counts = new std::map<std::string, int>;
    return (*counts)[kernel]++;
}

void note(const Launch &l, bool captured) {
    if (l.number >= REPORTED) return;
    const Shape &s = l.shape;
    char text[1024];
    snprintf(text, sizeof text, "%d\t%s\t%d\t%u %u %u %u %u %u %u\t%d\n", getpid(), l.kernel.name.c_str(), l.number,
             s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], s.shared, captured);
    append("launches.txt", text);
}

// One process at a time looks at a kernel.
bool claimed(const Want &want) {
    static auto *own = new std::set<std::string>;
    if (own->count(want.id)) return true;
    int file = open(job().path("claim-" + want.id).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return false;
    close(file);
    own->insert(want.id);
    return true;
}

void finished(Want &want) {
    want.finished = true;
    put("done-" + want.id, "");
    if (job().finished()) _exit(0);  // nothing else is wanted of this program
}

// Whether the program's launch has been done within the experiment.
bool examine(Want &want, const Launch &l) {
    Experiment experiment(want, l);
    try {
        if (!experiment.run()) {
            ++want.idle;
            Stop stop{"idle", "its first launches, " + std::to_string(want.idle) + " of them, change nothing in memory"};
            experiment.write(&stop);  // stands when there is no launch with work
            if (want.idle >= MAX_IDLE) finished(want);
            return true;
        }
        experiment.write(nullptr);
        if (++want.done >= want.launches) finished(want);
    } catch (const Stop &stop) {
        experiment.write(&stop);
        if (stop.fatal) _exit(87);
        experiment.recover();
        finished(want);
    }
    return false;
}

cudaError_t on_launch(Launch l, cudaStream_t stream) {
    static thread_local bool inside = false;
    Call call;
    if (in_mode("copies")) return measured({false, ON_DEVICE, NO_HOST, 0, 0, 0, stream}, l.real);
    if (inside || (!in_mode("report") && !in_mode("verify"))) return l.real();
    std::lock_guard lock(registry().mutex);
    l.kernel = registry().kernel(l.key);
    l.number = counted(l.kernel.name);
    if (in_mode("report")) {
        note(l, capturing(stream));
        return l.real();
    }
    if (job().finished()) _exit(0);
    if (capturing(stream)) return l.real();
    inside = true;
    bool launched = false;
    for (Want &want : job().wants)
        if (want.kernel == l.kernel.name && !want.finished && claimed(want)) launched = examine(want, l);
    inside = false;
    return launched ? cudaSuccess : l.real();
}

Shape shape(dim3 grid, dim3 block, size_t shared) {
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, unsigned(shared)};
}

const CUlaunchAttribute *cooperative() {
    static const CUlaunchAttribute *made = [] {
        auto *attribute = new CUlaunchAttribute{};
        attribute->id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attribute->value.cooperative = 1;
        return attribute;
    }();
    return made;
}

}  // namespace
}  // namespace preload

using namespace preload;

// ---- what the program calls ----------------------------------------------------------------------------------

#pragma GCC visibility push(default)
extern "C" {

void __cudaRegisterFunction(void **module, const char *stub, char *device, const char *name, int limit, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp) {
    static auto real = runtime_function<decltype(&__cudaRegisterFunction)>("__cudaRegisterFunction");
    {
        std::lock_guard lock(registry().mutex);
        registry().kernels[stub] = {name, module};
    }
    real(module, stub, device, name, limit, tid, bid, block, grid, warp);
}

void __cudaRegisterVar(void **module, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global) {
    static auto real = runtime_function<decltype(&__cudaRegisterVar)>("__cudaRegisterVar");
    {
        std::lock_guard lock(registry().mutex);
        registry().variables.push_back({module, host, name, size, false});
    }
    real(module, host, device, name, ext, size, constant, global);
}

void __cudaRegisterManagedVar(void **module, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global) {
    static auto real = runtime_function<decltype(&__cudaRegisterManagedVar)>("__cudaRegisterManagedVar");
    {
        std::lock_guard lock(registry().mutex);
        registry().variables.push_back({module, host, name, size, true});
    }
    real(module, host, device, name, ext, size, constant, global);
}

cudaError_t __cudaGetKernel(void **kernel, const void *stub) {
    static auto real = runtime_function<decltype(&__cudaGetKernel)>("__cudaGetKernel");
    cudaError_t status = real(kernel, stub);
    std::lock_guard lock(registry().mutex);
    if (status == cudaSuccess) registry().handles[*kernel] = stub;
    return status;
}

#define LAUNCH(NAME, KEY, ATTRIBUTES, COUNT)                                                                         \
    cudaError_t NAME(KEY kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {           \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        return on_launch({kernel, {}, 0, shape(grid, block, shared), args, ATTRIBUTES, COUNT,                        \
                          [=] { return real(kernel, grid, block, args, shared, stream); }},                          \
                         own_stream(#NAME, stream));                                                                 \
    }
LAUNCH(__cudaLaunchKernel, void *, nullptr, 0)
LAUNCH(__cudaLaunchKernel_ptsz, void *, nullptr, 0)
LAUNCH(cudaLaunchKernel, const void *, nullptr, 0)
LAUNCH(cudaLaunchKernel_ptsz, const void *, nullptr, 0)
LAUNCH(cudaLaunchCooperativeKernel, const void *, cooperative(), 1)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, const void *, cooperative(), 1)

// The runtime's launch attributes are the driver's.
#define LAUNCH_EX(NAME)                                                                                              \
    cudaError_t NAME(const cudaLaunchConfig_t *c, const void *kernel, void **args) {                                 \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        return on_launch({kernel, {}, 0, shape(c->gridDim, c->blockDim, c->dynamicSmemBytes), args,                  \
                          reinterpret_cast<const CUlaunchAttribute *>(c->attrs), c->numAttrs,                        \
                          [=] { return real(c, kernel, args); }},                                                    \
                         own_stream(#NAME, c->stream));                                                                                 \
    }
LAUNCH_EX(cudaLaunchKernelExC)
LAUNCH_EX(cudaLaunchKernelExC_ptsz)

// An allocation: the address that comes back is remembered with its size.
#define ALLOCATION(NAME, PARAMETERS, ARGUMENTS, ADDRESS, SIZE, HOST)                                                 \
    cudaError_t NAME PARAMETERS {                                                                                    \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        Call call(true);                                                                                             \
        cudaError_t status = real ARGUMENTS;                                                                         \
        if (status == cudaSuccess) registry().add(ADDRESS, SIZE, HOST);                                              \
        return status;                                                                                               \
    }
ALLOCATION(cudaMalloc, (void **at, size_t size), (at, size), *at, size, false)
ALLOCATION(cudaMallocManaged, (void **at, size_t size, unsigned flags), (at, size, flags), *at, size, false)
ALLOCATION(cudaMallocAsync, (void **at, size_t size, cudaStream_t s), (at, size, s), *at, size, false)
ALLOCATION(cudaMallocAsync_ptsz, (void **at, size_t size, cudaStream_t s), (at, size, s), *at, size, false)
ALLOCATION(cudaMallocFromPoolAsync, (void **at, size_t size, cudaMemPool_t pool, cudaStream_t s), (at, size, pool, s),
           *at, size, false)
ALLOCATION(cudaMallocFromPoolAsync_ptsz, (void **at, size_t size, cudaMemPool_t pool, cudaStream_t s),
           (at, size, pool, s), *at, size, false)
ALLOCATION(cudaMallocPitch, (void **at, size_t *pitch, size_t width, size_t height), (at, pitch, width, height), *at,
           *pitch *height, false)
ALLOCATION(cudaMalloc3D, (cudaPitchedPtr * at, cudaExtent extent), (at, extent), at->ptr,
           at->pitch *extent.height *extent.depth, false)
ALLOCATION(cudaMallocHost, (void **at, size_t size), (at, size), *at, size, true)
ALLOCATION(cudaHostAlloc, (void **at, size_t size, unsigned flags), (at, size, flags), *at, size, true)
ALLOCATION(cudaHostRegister, (void *at, size_t size, unsigned flags), (give_way(at, size), size, flags), at, size, true)

#define RELEASE(NAME, PARAMETERS, ARGUMENTS)                                                                         \
    cudaError_t NAME PARAMETERS {                                                                                    \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        Call call(true);                                                                                             \
        registry().remove(at);                                                                                       \
        return real ARGUMENTS;                                                                                       \
    }
RELEASE(cudaFree, (void *at), (at))
RELEASE(cudaFreeAsync, (void *at, cudaStream_t s), (at, s))
RELEASE(cudaFreeAsync_ptsz, (void *at, cudaStream_t s), (at, s))
RELEASE(cudaFreeHost, (void *at), (at))
RELEASE(cudaHostUnregister, (void *at), (at))

// Asynchronous copies: looked at in a run that measures them, and from pinned memory where the job asks for that.
#define COPY(NAME, PARAMETERS, ARGUMENTS, TO, FROM, SIZE, KIND)                                                      \
    cudaError_t NAME PARAMETERS {                                                                                    \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        Call call;                                                                                                   \
        return on_copy({TO, FROM, SIZE, KIND}, own_stream(#NAME, s), [&] { return real ARGUMENTS; });                \
    }
#define COPIES(SUFFIX)                                                                                               \
    COPY(cudaMemcpyAsync##SUFFIX, (void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t s),    \
         (to, from, size, kind, s), to, from, size, kind)                                                            \
    COPY(cudaMemcpy2DAsync##SUFFIX,                                                                                  \
         (void *to, size_t pitch, const void *from, size_t other, size_t width, size_t height, cudaMemcpyKind kind,  \
          cudaStream_t s),                                                                                           \
         (to, pitch, from, other, width, height, kind, s), to, from, width *height, kind)                            \
    COPY(cudaMemcpyToSymbolAsync##SUFFIX,                                                                            \
         (const void *symbol, const void *from, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t s),    \
         (symbol, from, size, offset, kind, s), nullptr, from, size, kind)                                           \
    COPY(cudaMemcpyFromSymbolAsync##SUFFIX,                                                                          \
         (void *to, const void *symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t s),            \
         (to, symbol, size, offset, kind, s), to, nullptr, size, kind)
COPIES()
COPIES(_ptsz)

// Calls that only the program's clock looks at.
#define TIMED(NAME, PARAMETERS, ARGUMENTS)                                                                           \
    cudaError_t NAME PARAMETERS {                                                                                    \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        Call call;                                                                                                   \
        return real ARGUMENTS;                                                                                       \
    }
TIMED(cudaMemcpy, (void *to, const void *from, size_t size, cudaMemcpyKind kind), (to, from, size, kind))
TIMED(cudaMemset, (void *at, int value, size_t size), (at, value, size))
TIMED(cudaMemsetAsync, (void *at, int value, size_t size, cudaStream_t s), (at, value, size, s))
TIMED(cudaDeviceSynchronize, (), ())
TIMED(cudaStreamSynchronize, (cudaStream_t s), (s))
TIMED(cudaEventSynchronize, (cudaEvent_t event), (event))

cudaError_t cudaDeviceReset() {
    static auto real = runtime_function<decltype(&cudaDeviceReset)>("cudaDeviceReset");
    Call call;
    before_reset();
    return real();
}

// Nothing of the library's own may run into a capture.
#define BEGIN_CAPTURE(NAME)                                                                                          \
    cudaError_t NAME(cudaStream_t s, cudaStreamCaptureMode mode) {                                                   \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        cudaError_t status = real(s, mode);                                                                          \
        if (status == cudaSuccess) ++captures;                                                                       \
        return status;                                                                                               \
    }
BEGIN_CAPTURE(cudaStreamBeginCapture)
BEGIN_CAPTURE(cudaStreamBeginCapture_ptsz)
#define END_CAPTURE(NAME)                                                                                            \
    cudaError_t NAME(cudaStream_t s, cudaGraph_t *graph) {                                                           \
        static auto real = runtime_function<decltype(&NAME)>(#NAME);                                                 \
        cudaError_t status = real(s, graph);                                                                         \
        if (captures > 0) --captures;                                                                                \
        return status;                                                                                               \
    }
END_CAPTURE(cudaStreamEndCapture)
END_CAPTURE(cudaStreamEndCapture_ptsz)

#ifdef PRELOAD_HOST_MEMORY
#include "malloc.hpp"
#endif

}  // extern "C"
#pragma GCC visibility pop
