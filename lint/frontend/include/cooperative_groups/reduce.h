// Reductions over a cooperative group.
#pragma once
#include <cooperative_groups.h>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
template <class T> struct plus { T operator()(const T &x, const T &y) const { return x + y; } };
template <class T> struct less { T operator()(const T &x, const T &y) const { return y < x ? y : x; } };
template <class T> struct greater { T operator()(const T &x, const T &y) const { return x < y ? y : x; } };
template <class T> struct bit_and { T operator()(const T &x, const T &y) const { return x & y; } };
template <class T> struct bit_or { T operator()(const T &x, const T &y) const { return x | y; } };
template <class T> struct bit_xor { T operator()(const T &x, const T &y) const { return x ^ y; } };
template <class Group, class T, class Op> CUDALINT_OPAQUE T reduce(const Group &group, T val, Op &&op);
template <class Group, class T, class V, class Op> void reduce_update_async(const Group &group, T &atomic, V val, Op &&op);
template <class Group, class T, class V, class Op> void reduce_store_async(const Group &group, T &atomic, V val, Op &&op);
}
#pragma clang force_cuda_host_device end
