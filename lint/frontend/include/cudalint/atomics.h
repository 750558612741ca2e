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
