// The program's own host memory: pinned where the job says so, as if it had been allocated with cudaMallocHost.
//
// Only in the library that is compiled with PRELOAD_HOST_MEMORY. It puts every block from SMALLEST bytes on into pages
// of its own, pinned or not, so that pinning one never touches another: copies from memory that is pinned in part fail.
#pragma once
#include <errno.h>
#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>

#include "clock.hpp"

namespace preload {

constexpr size_t PAGE = 4096;
constexpr size_t SMALLEST = 32 * 1024;  // smaller copies are staged without a long wait

// A block: the `nth` of its size that the program asked for.
struct Block {
    enum State { PLAIN, WAITING, PINNING, PINNED, REFUSED };
    size_t size;
    int nth;
    State state = PLAIN;
    bool copied = false;
    std::map<cudaStream_t, cudaEvent_t> queued{};  // recorded behind the last copy of each stream
};

inline std::atomic<bool> tracking{false};  // from the start of the program until its exit handlers run
inline std::atomic<int> captures{0};  // stream captures under way: nothing of ours may run into them

// Holds no lock while it calls the runtime, which may ask for memory under locks of its own.
class HostMemory {
  public:
    void start() {
        for (const PinnedBlock &block : job().pinned)
            if (block.program == program_invocation_short_name) wanted_.insert({block.size, block.nth});
        tracking = true;
    }

    void add(void *at, size_t size) {
        Quiet quiet;
        std::lock_guard lock(mutex_);
        Block block{size, counts_[size]++};
        if (wanted_.count({size, block.nth})) block.state = Block::WAITING, waiting_ = true;
        blocks_[reinterpret_cast<uintptr_t>(at)] = block;
    }

    // The size that was asked for; 0 for what is no block of ours.
    size_t size_of(void *at) {
        std::lock_guard lock(mutex_);
        auto found = blocks_.find(reinterpret_cast<uintptr_t>(at));
        return found == blocks_.end() ? 0 : found->second.size;
    }

    // Before the memory is freed.
    void remove(void *at) {
        Quiet quiet;
        int error = errno;
        Block block{};
        {
            std::lock_guard lock(mutex_);
            auto found = blocks_.find(reinterpret_cast<uintptr_t>(at));
            if (found == blocks_.end()) return;
            block = std::move(found->second);
            blocks_.erase(found);
            if (block.copied) used_.insert({block.size, block.nth});
        }
        if (block.state == Block::PINNED) unpin(at, block, true);
        errno = error;
    }

    // Before a CUDA call of the program: pin what has been allocated since the last one.
    void pin_waiting() {
        if (!waiting_.load(std::memory_order_relaxed) || captures > 0) return;
        Quiet quiet;
        std::vector<std::pair<uintptr_t, size_t>> todo;
        {
            std::lock_guard lock(mutex_);
            waiting_ = false;
            for (auto &[at, block] : blocks_)
                if (block.state == Block::WAITING) block.state = Block::PINNING, todo.emplace_back(at, block.size);
        }
        pin(todo);
    }

    // Whether a copy from or to this address may be made from pinned memory: then it is.
    bool pinned(const void *address) {
        if (!job().pinning) return false;
        std::vector<std::pair<uintptr_t, size_t>> todo;
        {
            std::lock_guard lock(mutex_);
            auto found = holding(address);
            if (found == blocks_.end()) return false;
            if (found->second.state != Block::PLAIN) return found->second.state == Block::PINNED;
            if (captures > 0) return false;
            found->second.state = Block::PINNING;
            todo.emplace_back(found->first, found->second.size);
        }
        pin(todo);
        std::lock_guard lock(mutex_);
        auto found = holding(address);
        return found != blocks_.end() && found->second.state == Block::PINNED;
    }

    // A copy from or to this address stands in a stream now.
    void queued(const void *address, cudaStream_t stream) {
        cudaEvent_t event = nullptr;
        {
            std::lock_guard lock(mutex_);
            auto found = holding(address);
            if (found == blocks_.end()) return;
            found->second.copied = true;
            if (found->second.state != Block::PINNED) return;
            auto known = found->second.queued.find(stream);
            if (known != found->second.queued.end()) event = known->second;
        }
        if (!event && RUNTIME(cudaEventCreateWithFlags)(&event, cudaEventDisableTiming) != cudaSuccess) {
            clear_error();
            return;
        }
        if (RUNTIME(cudaEventRecord)(event, stream) != cudaSuccess) clear_error();
        std::lock_guard lock(mutex_);
        auto found = holding(address);
        if (found != blocks_.end()) found->second.queued[stream] = event;
    }

    // The program registers or unregisters memory itself, or resets the device: what is pinned here gives way.
    void release(const void *begin, size_t size) {
        Quiet quiet;
        std::vector<std::pair<uintptr_t, Block>> todo;
        {
            std::lock_guard lock(mutex_);
            for (auto &[at, block] : blocks_)
                if (block.state == Block::PINNED && at < reinterpret_cast<uintptr_t>(begin) + size &&
                    reinterpret_cast<uintptr_t>(begin) < at + block.size) {
                    todo.emplace_back(at, block);
                    block.state = Block::REFUSED;
                    block.queued.clear();
                }
        }
        for (auto &[at, block] : todo) unpin(reinterpret_cast<void *>(at), block, false);
    }
    void release_all() { release(nullptr, SIZE_MAX); }

    // Lines of a report: what copies used, and what was pinned.
    std::string report() {
        Quiet quiet;
        std::lock_guard lock(mutex_);
        std::ostringstream out;
        out.precision(12);
        for (const auto &[at, block] : blocks_)
            if (block.copied) used_.insert({block.size, block.nth});
        for (const auto &[size, nth] : used_)
            out << "block\t" << program_invocation_short_name << "\t" << size << "\t" << nth << "\n";
        out << "pinned\t" << count_ << "\t" << bytes_ << "\t" << seconds_ * 1e3 << "\t" << refused_ << "\t" << early_
            << "\n";
        return out.str();
    }

  private:
    std::map<uintptr_t, Block>::iterator holding(const void *address) {
        auto after = blocks_.upper_bound(reinterpret_cast<uintptr_t>(address));
        if (after == blocks_.begin()) return blocks_.end();
        auto found = std::prev(after);
        return reinterpret_cast<uintptr_t>(address) < found->first + found->second.size ? found : blocks_.end();
    }

    // Registering waits for nothing: the device is let finish first, on the program's time, lest its work is hidden.
    void pin(const std::vector<std::pair<uintptr_t, size_t>> &todo) {
        if (todo.empty()) return;
        if (auto wait = RUNTIME(cudaDeviceSynchronize)) wait();
        double began = now();
        for (const auto &[at, size] : todo) {
            auto real = RUNTIME(cudaHostRegister);
            bool done = real && real(reinterpret_cast<void *>(at), size, cudaHostRegisterDefault) == cudaSuccess;
            if (!done) clear_error();
            std::lock_guard lock(mutex_);
            auto found = blocks_.find(at);
            if (found != blocks_.end()) found->second.state = done ? Block::PINNED : Block::REFUSED;
            if (done) ++count_, bytes_ += size;
            else ++refused_;
        }
        spent(now() - began);
    }

    void unpin(void *at, Block &block, bool freed) {
        double began = now();
        for (auto &[stream, event] : block.queued) {
            if (!is_done(event)) {
                if (freed) note_early();
                RUNTIME(cudaEventSynchronize)(event);
                began = now();  // the program would have had to wait too
            }
            RUNTIME(cudaEventDestroy)(event);
        }
        if (RUNTIME(cudaHostUnregister)(at) != cudaSuccess) clear_error();
        spent(now() - began);
    }

    void note_early() {
        std::lock_guard lock(mutex_);
        ++early_;
    }
    void spent(double seconds) {
        program_clock().pause(seconds);
        std::lock_guard lock(mutex_);
        seconds_ += seconds;
    }

    std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
    std::map<size_t, int> counts_;
    std::set<std::pair<size_t, int>> wanted_, used_;
    std::atomic<bool> waiting_{false};
    long count_ = 0, refused_ = 0, early_ = 0;
    double bytes_ = 0, seconds_ = 0;
};

// Never destroyed: memory is freed until the very end.
inline HostMemory &host_memory() {
    static HostMemory *made = new HostMemory;
    return *made;
}

}  // namespace preload
