// Old names for old toolkits only, in comments, and as names of the project's own.
#include <cuda_runtime.h>

struct Machine {
    int clockRate;
    void cudaThreadExit() {}
};

void finish()
{
#if defined(CUDART_VERSION) && CUDART_VERSION < 4000
    cudaThreadSynchronize();
#else
    cudaDeviceSynchronize();  // was cudaThreadSynchronize()
#endif
}

void prefetch(float* values, size_t bytes)
{
#if CUDART_VERSION >= 13000
    cudaMemLocation place = {};
    place.type = cudaMemLocationTypeDevice;
    cudaMemPrefetchAsync(values, bytes, place, 0, nullptr);
#else
    cudaMemPrefetchAsync(values, bytes, 0, nullptr);
#endif
}

int speed(Machine& machine)
{
    machine.cudaThreadExit();
    return machine.clockRate;
}
