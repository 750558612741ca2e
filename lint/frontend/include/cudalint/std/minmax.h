// std::min, std::max and clamp, usable on both sides.
#pragma once
#include <initializer_list>
#pragma clang force_cuda_host_device begin
namespace std {
template <class T> constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, class Compare> constexpr const T &min(const T &a, const T &b, Compare comp) { return comp(b, a) ? b : a; }
template <class T, class Compare> constexpr const T &max(const T &a, const T &b, Compare comp) { return comp(a, b) ? b : a; }
template <class T> constexpr T min(initializer_list<T> list);
template <class T> constexpr T max(initializer_list<T> list);
template <class T> constexpr const T &clamp(const T &v, const T &lo, const T &hi) { return v < lo ? lo : hi < v ? hi : v; }
}
#pragma clang force_cuda_host_device end
