// std::min, std::max and clamp, usable on both sides.
#pragma once
#include <initializer_list>
#pragma clang force_cuda_host_device begin
namespace std {
template <class _T> constexpr const _T &min(const _T &_a, const _T &_b) { return _b < _a ? _b : _a; }
template <class _T> constexpr const _T &max(const _T &_a, const _T &_b) { return _a < _b ? _b : _a; }
template <class _T, class _Compare> constexpr const _T &min(const _T &_a, const _T &_b, _Compare comp) { return comp(_b, _a) ? _b : _a; }
template <class _T, class _Compare> constexpr const _T &max(const _T &_a, const _T &_b, _Compare comp) { return comp(_a, _b) ? _b : _a; }
template <class _T> constexpr _T min(initializer_list<_T> list);
template <class _T> constexpr _T max(initializer_list<_T> list);
template <class _T> constexpr const _T &clamp(const _T &_v, const _T &lo, const _T &hi) { return _v < lo ? lo : hi < _v ? hi : _v; }
}
#pragma clang force_cuda_host_device end
