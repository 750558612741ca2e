// Scans over a cooperative group.
#pragma once
#include <cooperative_groups/reduce.h>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
template <class Group, class T> T inclusive_scan(const Group &group, T val);
template <class Group, class T, class Op> CUDALINT_OPAQUE T inclusive_scan(const Group &group, T val, Op &&op);
template <class Group, class T> T exclusive_scan(const Group &group, T val);
template <class Group, class T, class Op> CUDALINT_OPAQUE T exclusive_scan(const Group &group, T val, Op &&op);
}
#pragma clang force_cuda_host_device end
