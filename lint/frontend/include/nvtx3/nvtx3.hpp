// NVTX in C++.
#pragma once
#include <nvtx3/nvToolsExt.h>
namespace nvtx3 {
class scoped_range { public: explicit scoped_range(const char *message); };
}
