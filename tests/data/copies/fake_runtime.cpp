// Stands in for libcudart where there is no device: streams have a clock each, kernels do nothing but take time.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include <cuda_runtime_api.h>

namespace {

constexpr double KERNEL_S = 0.004, COPY_S = 0.001;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
std::mutex guard;
std::map<cudaStream_t, double> ends;    // when a stream's work is done
std::map<cudaEvent_t, double> events;   // when a stream passes an event
std::map<const char *, size_t> pinned;
std::map<cudaMemcpyKind, double> engines;  // when the copy engine of a direction is free

double queue(cudaStream_t stream, double seconds, double *engine = nullptr) {
    std::lock_guard lock(guard);
    double &end = ends[stream];
    end = std::max({now(), end, engine ? *engine : 0.0}) + seconds;
    if (engine) *engine = end;
    return end;
}
void wait_until(double time) { std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, time - now()))); }
bool is_pinned(const void *at) {
    std::lock_guard lock(guard);
    auto after = pinned.upper_bound(static_cast<const char *>(at));
    return after != pinned.begin() && (--after, static_cast<const char *>(at) < after->first + after->second);
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
cudaError_t cudaMalloc(void **at, size_t size) { return *at = aligned_alloc(4096, size), cudaSuccess; }
cudaError_t cudaFree(void *at) { return free(at), cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t *made) {
    static uintptr_t count = 0x100;
    return *made = reinterpret_cast<cudaStream_t>(++count), cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
    return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    double last = 0;
    {
        std::lock_guard lock(guard);
        for (auto &[stream, end] : ends) last = std::max(last, end);
    }
    return wait_until(last), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
    double end = queue(stream, COPY_S, &engines[kind]);
    memcpy(to, from, size);
    if (!is_pinned(kind == cudaMemcpyHostToDevice ? from : to)) wait_until(end);
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t stream) {
    return queue(stream, KERNEL_S), cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *made) {
    static uintptr_t count = 0;
    return *made = reinterpret_cast<cudaEvent_t>(++count), cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *made, unsigned) { return cudaEventCreate(made); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    std::lock_guard lock(guard);
    return events[event] = std::max(now(), ends[stream]), cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return now() >= events[event] ? cudaSuccess : cudaErrorNotReady; }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return wait_until(events[event]), cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end) {
    return *ms = float((events[end] - events[begin]) * 1e3), cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *about, const void *at) {
    return about->type = is_pinned(at) ? cudaMemoryTypeHost : cudaMemoryTypeUnregistered, cudaSuccess;
}
cudaError_t cudaHostRegister(void *at, size_t size, unsigned) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::lock_guard lock(guard);
    return pinned[static_cast<char *>(at)] = size, cudaSuccess;
}
cudaError_t cudaHostUnregister(void *at) {
    std::lock_guard lock(guard);
    return pinned.erase(static_cast<char *>(at)) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

}  // extern "C"
