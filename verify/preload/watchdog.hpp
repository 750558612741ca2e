// A clock, and what ends the process when a step of an experiment takes too long.
#pragma once
#include <chrono>
#include <mutex>
#include <string>
#include <thread>

#include "job.hpp"

namespace preload {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Ends the process when a step takes too long: a kernel that hangs cannot be stopped otherwise.
class Watchdog {
  public:
    void start(const std::string &file, const std::string &stage, double seconds) {
        if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
        std::lock_guard lock(mutex_);
        file_ = file, stage_ = stage, seconds_ = seconds, deadline_ = now() + seconds;
    }
    void stop() {
        std::lock_guard lock(mutex_);
        deadline_ = 0;
    }

  private:
    void watch() {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            std::lock_guard lock(mutex_);
            if (deadline_ == 0 || now() < deadline_) continue;
            char text[160];
            snprintf(text, sizeof text, "{\"stage\":\"%s\",\"error\":\"no answer within %.0f s\",\"hang\":true}",
                     stage_.c_str(), seconds_);
            put(file_, text);
            _exit(86);
        }
    }
    std::mutex mutex_;
    std::thread thread_;
    std::string file_, stage_;
    double seconds_ = 0, deadline_ = 0;
};

inline Watchdog &watchdog() {
    static Watchdog *made = new Watchdog;
    return *made;
}

}  // namespace preload
