// Asynchronous copies by a cooperative group.
#pragma once
#include <cooperative_groups.h>
#include <cuda/barrier>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
template <class Group, class T, class Size> void memcpy_async(const Group &group, T *dst, const T *src, const Size &size);
template <class Group, class Size> void memcpy_async(const Group &group, void *dst, const void *src, const Size &size);
template <class Group, class Dst, class DstLayout, class Src, class SrcLayout>
void memcpy_async(const Group &group, Dst *dst, const DstLayout &dstLayout, const Src *src, const SrcLayout &srcLayout);
template <class Group> void wait(const Group &group);
template <unsigned int Stages, class Group> void wait_prior(const Group &group);
}
#pragma clang force_cuda_host_device end
