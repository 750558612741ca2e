// Reductions over a cooperative group.
#pragma once
#include <cooperative_groups.h>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
template <class _T> struct plus { _T operator()(const _T &_x, const _T &_y) const { return _x + _y; } };
template <class _T> struct less { _T operator()(const _T &_x, const _T &_y) const { return _y < _x ? _y : _x; } };
template <class _T> struct greater { _T operator()(const _T &_x, const _T &_y) const { return _x < _y ? _y : _x; } };
template <class _T> struct bit_and { _T operator()(const _T &_x, const _T &_y) const { return _x & _y; } };
template <class _T> struct bit_or { _T operator()(const _T &_x, const _T &_y) const { return _x | _y; } };
template <class _T> struct bit_xor { _T operator()(const _T &_x, const _T &_y) const { return _x ^ _y; } };
template <class _Group, class _T, class _Op> CUDALINT_OPAQUE _T reduce(const _Group &group, _T val, _Op &&op);
template <class _Group, class _T, class _V, class _Op> void reduce_update_async(const _Group &group, _T &atomic, _V val, _Op &&op);
template <class _Group, class _T, class _V, class _Op> void reduce_store_async(const _Group &group, _T &atomic, _V val, _Op &&op);
}
#pragma clang force_cuda_host_device end
