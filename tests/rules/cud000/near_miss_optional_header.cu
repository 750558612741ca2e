// A header that is only used where it exists, and code that no compiler of this file ever sees.
#if __has_include(<no/such/header.h>)
#include <no/such/header.h>
#endif

#if 0
this is no code
#endif

__global__ void fill(int *out) { out[threadIdx.x] = 1; }
