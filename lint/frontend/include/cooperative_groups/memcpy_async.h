// Asynchronous copies by a cooperative group.
#pragma once
#include <cooperative_groups.h>
#include <cuda/barrier>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
template <class _Group, class _T, class _Size> void memcpy_async(const _Group &group, _T *dst, const _T *src, const _Size &size);
template <class _Group, class _Size> void memcpy_async(const _Group &group, void *dst, const void *src, const _Size &size);
template <class _Group, class _Dst, class _DstLayout, class _Src, class _SrcLayout>
void memcpy_async(const _Group &group, _Dst *dst, const _DstLayout &dstLayout, const _Src *src, const _SrcLayout &srcLayout);
template <class _Group> void wait(const _Group &group);
template <unsigned int _Stages, class _Group> void wait_prior(const _Group &group);
}
#pragma clang force_cuda_host_device end
