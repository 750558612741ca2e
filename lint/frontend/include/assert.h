// assert, a call on failure so that readers see a condition.
#pragma once
#pragma clang force_cuda_host_device begin
extern "C" void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) noexcept;
#pragma clang force_cuda_host_device end
#undef assert
#ifdef NDEBUG
#define assert(expr) ((void)0)
#else
#define assert(expr) ((expr) ? (void)0 : __assert_fail(#expr, __FILE__, __LINE__, __func__))
#endif
