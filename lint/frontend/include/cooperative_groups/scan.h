// Scans over a cooperative group.
#pragma once
#include <cooperative_groups/reduce.h>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
template <class _Group, class _T> _T inclusive_scan(const _Group &group, _T val);
template <class _Group, class _T, class _Op> CUDALINT_OPAQUE _T inclusive_scan(const _Group &group, _T val, _Op &&op);
template <class _Group, class _T> _T exclusive_scan(const _Group &group, _T val);
template <class _Group, class _T, class _Op> CUDALINT_OPAQUE _T exclusive_scan(const _Group &group, _T val, _Op &&op);
}
#pragma clang force_cuda_host_device end
