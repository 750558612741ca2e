// Cached loads and stores, address-space queries and asynchronous copies into shared memory.
#pragma once

// One template for every element type that the hardware can load or store whole.
#define CUDALINT_LOAD(name) template <class T> T name(const T *ptr);
CUDALINT_LOAD(__ldg) CUDALINT_LOAD(__ldca) CUDALINT_LOAD(__ldcg) CUDALINT_LOAD(__ldcs) CUDALINT_LOAD(__ldlu)
CUDALINT_LOAD(__ldcv)
#undef CUDALINT_LOAD
namespace cudalint { template <class T> struct identity { typedef T type; }; }
#define CUDALINT_STORE(name) template <class T> void name(T *ptr, typename cudalint::identity<T>::type value);
CUDALINT_STORE(__stwb) CUDALINT_STORE(__stcg) CUDALINT_STORE(__stcs) CUDALINT_STORE(__stwt)
#undef CUDALINT_STORE

unsigned int __isGlobal(const void *ptr);
unsigned int __isShared(const void *ptr);
unsigned int __isClusterShared(const void *ptr);
unsigned int __isConstant(const void *ptr);
unsigned int __isLocal(const void *ptr);
unsigned int __isGridConstant(const void *ptr);
size_t __cvta_generic_to_global(const void *ptr);
size_t __cvta_generic_to_shared(const void *ptr);
size_t __cvta_generic_to_constant(const void *ptr);
size_t __cvta_generic_to_local(const void *ptr);
void *__cvta_global_to_generic(size_t rawbits);
void *__cvta_shared_to_generic(size_t rawbits);
void *__cvta_constant_to_generic(size_t rawbits);
void *__cvta_local_to_generic(size_t rawbits);

void __pipeline_memcpy_async(void *dst_shared, const void *src_global, size_t size_and_align, size_t zfill = 0);
void __pipeline_commit();
void __pipeline_wait_prior(unsigned int N);
void __pipeline_arrive_on(unsigned long long *bar);

