// Asynchronous copies of a program: measured, and made from pinned memory instead of pageable, as the job says.
#pragma once
#include "hostmem.hpp"
#include "overlap.hpp"

namespace preload {

inline bool capturing(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    auto ask = RUNTIME(cudaStreamIsCapturing);
    return ask && ask(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

// The stream that a function means: those for per-thread default streams have names of their own.
inline cudaStream_t own_stream(const char *function, cudaStream_t stream) {
    size_t length = strlen(function);
    bool own = length > 5 && strcmp(function + length - 5, "_ptsz") == 0;
    return own && !stream ? cudaStreamPerThread : stream;
}

inline cudaError_t measured(const Entry &entry, const std::function<cudaError_t()> &real) {
    Recorded recorded(captures == 0 && !capturing(entry.stream), entry);
    cudaError_t status = real();
    recorded.done();
    return status;
}

struct Transfer {
    const void *to, *from;
    size_t bytes;
    cudaMemcpyKind kind;
};

// How the memory at an address was obtained: pinned first, where it is to be.
inline HostSide host_side(const void *address, bool ask) {
    if (!address) return NO_HOST;
    if (host_memory().pinned(address)) return PINNED_HERE;
    if (!ask) return NO_HOST;
    cudaPointerAttributes about{};
    if (RUNTIME(cudaPointerGetAttributes)(&about, address) != cudaSuccess) {
        clear_error();
        return NO_HOST;
    }
    if (about.type == cudaMemoryTypeUnregistered) return PAGEABLE;
    return about.type == cudaMemoryTypeHost ? PINNED_BY_PROGRAM : NO_HOST;
}

inline cudaError_t on_copy(const Transfer &copy, cudaStream_t stream, const std::function<cudaError_t()> &real) {
    bool measure = in_mode("copies");
    if ((!measure && !job().pinning) || captures > 0) return real();
    Entry entry{true};
    entry.bytes = copy.bytes, entry.stream = stream;
    const void *address = nullptr;
    if (copy.kind == cudaMemcpyHostToDevice || copy.kind == cudaMemcpyDefault) {
        entry.direction = TO_DEVICE, entry.host = host_side(address = copy.from, measure);
    }
    if (copy.kind == cudaMemcpyDeviceToHost || (copy.kind == cudaMemcpyDefault && entry.host == NO_HOST)) {
        entry.direction = TO_HOST, entry.host = host_side(address = copy.to, measure);
    }
    if (entry.host == NO_HOST) entry.direction = ON_DEVICE;
    cudaError_t status = measure ? measured(entry, real) : real();
    if (entry.host == PAGEABLE || entry.host == PINNED_HERE) host_memory().queued(address, stream);
    return status;
}

inline void before_reset() {
    if (in_mode("copies")) recorder().end_epoch();
    host_memory().release_all();
}

// The program registers memory itself.
inline void *give_way(void *at, size_t size) {
    if (job().pinning) host_memory().release(at, size);
    return at;
}

// Registered once there is a context, so that it runs before the exit handlers of the runtime and of the driver.
inline void at_exit() {
    tracking = false;
    Quiet quiet;
    if (in_mode("copies")) recorder().end_epoch();
    std::string text = host_memory().report();
    if (in_mode("copies")) text += recorder().report();
    put("copies-" + std::to_string(getpid()) + ".txt", text);
}

// From the start of the process on.
inline void begin_copies() {
    if (!in_mode("copies") && !in_mode("time")) return;
    host_memory().start();
    before_calls() = [] {
        static int registered = std::atexit(at_exit);
        if (registered == 0) host_memory().pin_waiting();
    };
}

}  // namespace preload
