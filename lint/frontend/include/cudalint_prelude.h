// Included before every CUDA file: what nvcc makes visible without an #include.
#pragma once
#include "cudalint/attributes.h"

// Declared by the compiler itself as device-only.
extern "C" __device__ void __syncthreads();

#pragma clang force_cuda_host_device begin
#include "cudalint/base.h"
#include "cudalint/vector_types.h"
#include "cudalint/runtime_types.h"
#include "cudalint/runtime_api.h"
#include <stdint.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>
#include <assert.h>
#include "cudalint/math.h"
#include "cudalint/intrinsics.h"
#include "cudalint/simd.h"
#include "cudalint/atomics.h"
#include "cudalint/warp.h"
#include "cudalint/memory.h"
#include "cudalint/texture.h"
#pragma clang force_cuda_host_device end

// nvcc includes these before every file.
#include <cmath>
#include <cstdlib>
#include <new>
