// Dynamic loading.
#pragma once
#define RTLD_LAZY 1
#define RTLD_NOW 2
#define RTLD_GLOBAL 0x100
#define RTLD_LOCAL 0
extern "C" void *dlopen(const char *filename, int flags) noexcept;
extern "C" void *dlsym(void *handle, const char *symbol) noexcept;
extern "C" int dlclose(void *handle) noexcept;
extern "C" char *dlerror() noexcept;
