// The driver and runtime functions that the library calls, looked up when first used: the library links with neither.
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace preload {

template <class F> F driver_function(const char *name) {
    static void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    return library ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
}

// What the program itself would have called: the next definition, or one in a runtime that was loaded by hand.
template <class F> F runtime_function(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    for (const char *library : {"libcudart.so.13", "libcudart.so.12"}) {
        if (found) break;
        if (void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) found = dlsym(loaded, name);
    }
    return reinterpret_cast<F>(found);
}

}  // namespace preload

#define PRELOAD_TEXT_(name) #name
#define PRELOAD_TEXT(name) PRELOAD_TEXT_(name)

// cuda.h maps names to versions (cuMemAlloc to cuMemAlloc_v2): the macro is expanded before it becomes text.
#define DRIVER(name) ([] { static auto found = preload::driver_function<decltype(&name)>(PRELOAD_TEXT(name)); return found; }())
#define RUNTIME(name) ([] { static auto found = preload::runtime_function<decltype(&name)>(#name); return found; }())
