// A header that comes neither with the linter nor with the project: what depends on it is not checked.
#include <sys/epoll.h>  // expect: CUD000@10

__global__ void count(unsigned *events, const unsigned *flags) {
  unsigned mask = flags[threadIdx.x] & EPOLLIN;  // expect: CUD000@40
  if (mask) atomicAdd(events, 1u);
}
