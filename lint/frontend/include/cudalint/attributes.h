// CUDA's function and variable attributes, and the macros that nvcc predefines.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device)) __attribute__((annotate("__managed__")))
#define __grid_constant__ __attribute__((annotate("__grid_constant__")))
#define __cluster_dims__(...) __attribute__((annotate("__cluster_dims__")))
#define __block_size__(...) __attribute__((annotate("__block_size__")))
#define __maxnreg__(...)
#define __launch_bounds__(...) __attribute__((annotate("__launch_bounds__", __VA_ARGS__)))

#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
#define __noinline__ __attribute__((noinline))
// For function templates that take lambdas: counts as defined, so an instance with a local type is no error.
#define CUDALINT_OPAQUE __attribute__((alias("opaque")))
#define __inline_hint__
#define __nv_pure__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE
#define CUDAAPI
#define CUDA_CB

// Guards that programs test to see which CUDA headers are there.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__

#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDACC_RDC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 88
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION

// Kernels are read as the device would compile them: pass -D__CUDA_ARCH__=… for another architecture.
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 900
#endif
#define __CUDA_ARCH_LIST__ __CUDA_ARCH__
