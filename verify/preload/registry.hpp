// What the program has told the runtime: its kernels, device variables and live memory.
#pragma once
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "driver.hpp"

namespace preload {

struct Kernel {
    std::string name;
    const void *module = nullptr;
};

struct Variable {
    const void *module;
    const void *host;
    std::string name;
    size_t size;
    bool managed;
};

struct Allocation {
    size_t size;
    CUcontext context;
    bool host;  // page-locked host memory: looked at only where a kernel is given its address
};

struct Registry {
    std::recursive_mutex mutex;
    std::unordered_map<const void *, Kernel> kernels;        // by host stub
    std::unordered_map<const void *, const void *> handles;  // runtime's kernel handle -> host stub
    std::vector<Variable> variables;
    std::map<CUdeviceptr, Allocation> memory;

    void add(void *at, size_t size, bool host = false) {
        if (!at || !size) return;
        CUcontext context = nullptr;
        if (auto current = DRIVER(cuCtxGetCurrent)) current(&context);
        std::lock_guard lock(mutex);
        memory[reinterpret_cast<CUdeviceptr>(at)] = {size, context, host};
    }
    void remove(void *at) {
        std::lock_guard lock(mutex);
        memory.erase(reinterpret_cast<CUdeviceptr>(at));
    }
    // The kernel behind a host stub or a kernel handle.
    Kernel kernel(const void *key) {
        std::lock_guard lock(mutex);
        auto stub = handles.find(key);
        auto found = kernels.find(stub == handles.end() ? key : stub->second);
        if (found != kernels.end()) return found->second;
        const char *name = nullptr;
        auto ask = DRIVER(cuKernelGetName);
        if (!ask || ask(&name, reinterpret_cast<CUkernel>(const_cast<void *>(key))) != CUDA_SUCCESS || !name) return {};
        for (const auto &entry : kernels)
            if (entry.second.name == name) return entry.second;
        return {name, nullptr};
    }
};

// Never destroyed: programs free memory and unregister modules after static objects are gone.
inline Registry &registry() {
    static Registry *made = new Registry;
    return *made;
}

}  // namespace preload
