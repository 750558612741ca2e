// When asynchronous copies and kernels ran on the device, by events before and after each of them in its stream.
#pragma once
#include <cstdint>
#include <deque>

#include "clock.hpp"

namespace preload {

constexpr size_t MAX_WAITING = 20000;  // whose events have not been read yet
constexpr size_t MAX_KEPT = 300000;    // what comes after them is not looked at

// Numbers as the verifier reads them.
enum HostSide { NO_HOST, PAGEABLE, PINNED_BY_PROGRAM, PINNED_HERE };
enum Direction { ON_DEVICE, TO_DEVICE, TO_HOST };

struct Entry {
    bool copy;
    int direction = ON_DEVICE, host = NO_HOST;
    size_t bytes = 0;
    double called = 0, returned = 0;  // on the host's clock
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr, end = nullptr;
};

// Writes one file per process; an epoch ends where the program resets the device.
class Recorder {
  public:
    // Before the call; false where it is not looked at.
    bool open(Entry &entry) {
        std::lock_guard lock(mutex_);
        if (full_ || (!base_ && !start_epoch())) return false;
        read(false);
        if (waiting_.size() >= MAX_WAITING || kept_ + waiting_.size() >= MAX_KEPT) full_ = true;
        if (full_ || !take(entry.begin)) return false;
        if (!take(entry.end) || RUNTIME(cudaEventRecord)(entry.begin, entry.stream) != cudaSuccess) {
            give(entry);
            return false;
        }
        return true;
    }

    // After the call.
    void close(const Entry &entry) {
        std::lock_guard lock(mutex_);
        if (RUNTIME(cudaEventRecord)(entry.end, entry.stream) == cudaSuccess) waiting_.push_back(entry);
        else give(entry);
    }

    // The device has come to the end of its work, or is made to.
    void end_epoch() {
        std::lock_guard lock(mutex_);
        if (!base_) return;
        RUNTIME(cudaDeviceSynchronize)();
        read(true);
        double host = 0;
        float device = 0;
        cudaEvent_t last = nullptr;
        if (take(last) && mark(last, host) && RUNTIME(cudaEventElapsedTime)(&device, base_, last) == cudaSuccess)
            out_ << "clock\t" << epoch_ << "\t" << began_ * 1e3 << "\t" << host * 1e3 << "\t" << device << "\n";
        for (cudaEvent_t event : free_) RUNTIME(cudaEventDestroy)(event);
        free_.clear();
        base_ = nullptr;
        ++epoch_;
    }

    std::string report() {
        std::lock_guard lock(mutex_);
        return out_.str() + "full\t" + (full_ ? "1" : "0") + "\n";
    }

  private:
    bool start_epoch() {
        out_.precision(15);
        return take(base_) && mark(base_, began_);
    }

    // Let an idle stream pass an event; the time on the host then, from the shortest of several attempts.
    static bool mark(cudaEvent_t event, double &host) {
        double shortest = 1e9;
        for (int i = 0; i < 8; ++i) {
            double before = now();
            if (RUNTIME(cudaEventRecord)(event, nullptr) != cudaSuccess ||
                RUNTIME(cudaEventSynchronize)(event) != cudaSuccess) {
                clear_error();
                return false;
            }
            double after = now();
            host = (before + after) / 2;  // of the last attempt, whose event stands
            shortest = after - before < shortest ? after - before : shortest;
            if (i >= 2 && after - before <= 1.2 * shortest) break;
        }
        return true;
    }

    bool take(cudaEvent_t &event) {
        if (!free_.empty()) {
            event = free_.back();
            free_.pop_back();
            return true;
        }
        if (RUNTIME(cudaEventCreate)(&event) == cudaSuccess) return true;
        event = nullptr;
        clear_error();
        return false;
    }
    void give(const Entry &entry) {
        clear_error();
        if (entry.begin) free_.push_back(entry.begin);
        if (entry.end) free_.push_back(entry.end);
    }

    void read(bool all) {
        while (!waiting_.empty() && (all || is_done(waiting_.front().end))) {
            const Entry &e = waiting_.front();
            float begin = 0, end = 0;
            auto elapsed = RUNTIME(cudaEventElapsedTime);
            if (elapsed(&begin, base_, e.begin) == cudaSuccess && elapsed(&end, base_, e.end) == cudaSuccess)
                write(e, begin, end);
            else
                clear_error();
            free_.push_back(e.begin);
            free_.push_back(e.end);
            waiting_.pop_front();
        }
    }

    void write(const Entry &e, float begin, float end) {
        ++kept_;
        out_ << (e.copy ? "copy\t" : "kernel\t") << epoch_ << "\t" << reinterpret_cast<uintptr_t>(e.stream) << "\t"
             << begin << "\t" << end;
        if (e.copy)
            out_ << "\t" << e.called * 1e3 << "\t" << e.returned * 1e3 << "\t" << e.bytes << "\t" << e.direction << "\t"
                 << e.host;
        out_ << "\n";
    }

    std::mutex mutex_;
    std::deque<Entry> waiting_;
    std::vector<cudaEvent_t> free_;
    std::ostringstream out_;
    cudaEvent_t base_ = nullptr;
    double began_ = 0;
    size_t kept_ = 0;
    int epoch_ = 0;
    bool full_ = false;
};

inline Recorder &recorder() {
    static Recorder *made = new Recorder;
    return *made;
}

// Looks at a call that puts work into a stream, from its construction to `done`.
class Recorded {
  public:
    Recorded(bool wanted, const Entry &entry) : entry_(entry) {
        on_ = wanted && recorder().open(entry_);
        entry_.called = now();
    }
    void done() {
        if (!on_) return;
        entry_.returned = now();
        recorder().close(entry_);
    }

  private:
    Entry entry_;
    bool on_ = false;
};

}  // namespace preload
