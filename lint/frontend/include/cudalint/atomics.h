// Atomic read-modify-write functions, each also with _block and _system scope.
#pragma once

#define CUDALINT_ATOMIC(name, T) \
  T name(T *address, T val); \
  T name##_block(T *address, T val); \
  T name##_system(T *address, T val);
#define CUDALINT_ATOMIC_CAS(T) \
  T atomicCAS(T *address, T compare, T val); \
  T atomicCAS_block(T *address, T compare, T val); \
  T atomicCAS_system(T *address, T compare, T val);

CUDALINT_ATOMIC(atomicAdd, int)
CUDALINT_ATOMIC(atomicAdd, unsigned int)
CUDALINT_ATOMIC(atomicAdd, unsigned long long)
CUDALINT_ATOMIC(atomicAdd, float)
CUDALINT_ATOMIC(atomicAdd, float2)
CUDALINT_ATOMIC(atomicAdd, float4)
CUDALINT_ATOMIC(atomicSub, int)
CUDALINT_ATOMIC(atomicSub, unsigned int)
CUDALINT_ATOMIC(atomicExch, int)
CUDALINT_ATOMIC(atomicExch, unsigned int)
CUDALINT_ATOMIC(atomicExch, unsigned long long)
CUDALINT_ATOMIC(atomicExch, float)
CUDALINT_ATOMIC(atomicMin, int)
CUDALINT_ATOMIC(atomicMin, unsigned int)
CUDALINT_ATOMIC(atomicMin, long long)
CUDALINT_ATOMIC(atomicMin, unsigned long long)
CUDALINT_ATOMIC(atomicMax, int)
CUDALINT_ATOMIC(atomicMax, unsigned int)
CUDALINT_ATOMIC(atomicMax, long long)
CUDALINT_ATOMIC(atomicMax, unsigned long long)
CUDALINT_ATOMIC(atomicInc, unsigned int)
CUDALINT_ATOMIC(atomicDec, unsigned int)
CUDALINT_ATOMIC(atomicAnd, int)
CUDALINT_ATOMIC(atomicAnd, unsigned int)
CUDALINT_ATOMIC(atomicAnd, unsigned long long)
CUDALINT_ATOMIC(atomicOr, int)
CUDALINT_ATOMIC(atomicOr, unsigned int)
CUDALINT_ATOMIC(atomicOr, unsigned long long)
CUDALINT_ATOMIC(atomicXor, int)
CUDALINT_ATOMIC(atomicXor, unsigned int)
CUDALINT_ATOMIC(atomicXor, unsigned long long)
CUDALINT_ATOMIC_CAS(int)
CUDALINT_ATOMIC_CAS(unsigned int)
CUDALINT_ATOMIC_CAS(unsigned long long)
CUDALINT_ATOMIC_CAS(unsigned short)

// Programs define their own atomicAdd(double *, double) for old devices: a template yields to theirs.
template <int = 0> double atomicAdd(double *address, double val);
double atomicAdd_block(double *address, double val);
double atomicAdd_system(double *address, double val);
#undef CUDALINT_ATOMIC
#undef CUDALINT_ATOMIC_CAS

// Atomic built-ins of CUDA 12.8 with memory order and scope.
#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
#define CUDALINT_NV_ATOMIC(name) \
  template <class T, class U> T name(T *ptr, U val, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
CUDALINT_NV_ATOMIC(__nv_atomic_fetch_add) CUDALINT_NV_ATOMIC(__nv_atomic_fetch_sub) CUDALINT_NV_ATOMIC(__nv_atomic_fetch_and)
CUDALINT_NV_ATOMIC(__nv_atomic_fetch_or) CUDALINT_NV_ATOMIC(__nv_atomic_fetch_xor) CUDALINT_NV_ATOMIC(__nv_atomic_fetch_min)
CUDALINT_NV_ATOMIC(__nv_atomic_fetch_max) CUDALINT_NV_ATOMIC(__nv_atomic_exchange_n)
#undef CUDALINT_NV_ATOMIC
template <class T> T __nv_atomic_load_n(T *ptr, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T, class U> void __nv_atomic_store_n(T *ptr, U val, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T> void __nv_atomic_load(T *ptr, T *ret, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T> void __nv_atomic_store(T *ptr, T *val, int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T> bool __nv_atomic_compare_exchange(T *ptr, T *expected, T *desired, bool weak, int success_order, int failure_order, int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T, class U> bool __nv_atomic_compare_exchange_n(T *ptr, T *expected, U desired, bool weak, int success_order, int failure_order, int scope = __NV_THREAD_SCOPE_SYSTEM);
void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM);
