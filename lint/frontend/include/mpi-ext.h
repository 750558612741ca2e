// Extensions of Open MPI.
#pragma once
#define MPIX_CUDA_AWARE_SUPPORT 1
extern "C" int MPIX_Query_cuda_support();
