// The program's own clock: from its first to its last CUDA call, without what the library does for itself.
#pragma once
#include <functional>

#include "driver.hpp"
#include "watchdog.hpp"

namespace preload {

inline bool in_mode(const char *mode) { return job().mode == mode; }

// What this thread does inside of CUDA calls and of this library: memory that they take is not the program's.
inline thread_local int quiet_depth = 0;
struct Quiet {
    Quiet() { ++quiet_depth; }
    ~Quiet() { --quiet_depth; }
    Quiet(const Quiet &) = delete;
};

inline void clear_error() {
    if (auto clear = RUNTIME(cudaGetLastError)) clear();
}

// Whether a stream has passed an event. That it has not may stay behind as an error, which is not the program's.
inline bool is_done(cudaEvent_t event) {
    bool clean = RUNTIME(cudaPeekAtLastError)() == cudaSuccess;
    cudaError_t status = RUNTIME(cudaEventQuery)(event);
    if (status != cudaSuccess && clean) clear_error();
    return status != cudaErrorNotReady;
}

struct Clock {
    std::mutex mutex;
    double first = 0, last = 0, allocating = 0;
    double paused = 0, pausing = 0;  // left out: up to the last call, and since
    long allocations = 0;

    void pause(double seconds) {
        std::lock_guard lock(mutex);
        if (first != 0) pausing += seconds;
    }
};

inline Clock &program_clock() {
    static Clock *made = new Clock;
    return *made;
}

// What is done before the program's outermost CUDA calls, once there is a context.
inline std::function<void()> &before_calls() {
    static auto *made = new std::function<void()>;
    return *made;
}

// Notes the time of a CUDA call; the clock starts once the context is there.
class Call {
  public:
    explicit Call(bool allocates = false) : allocates_(allocates) {
        if (quiet_depth > 1 || (!in_mode("time") && !in_mode("copies"))) return;
        start();
        if (before_calls()) before_calls()();
        on_ = in_mode("time");
        if (on_) began_ = now();
    }
    ~Call() {
        if (!on_) return;
        Clock &c = program_clock();
        std::lock_guard lock(c.mutex);
        c.last = now();
        c.paused += c.pausing, c.pausing = 0;
        if (allocates_) ++c.allocations, c.allocating += c.last - began_;
    }

  private:
    static void start() {
        Clock &c = program_clock();
        std::lock_guard lock(c.mutex);
        if (c.first != 0) return;
        if (auto free = RUNTIME(cudaFree)) free(nullptr);
        c.first = now();
    }
    Quiet quiet_;
    bool on_ = false, allocates_;
    double began_ = 0;
};

}  // namespace preload
