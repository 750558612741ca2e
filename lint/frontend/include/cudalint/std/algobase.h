// Copying, filling and comparing: the algorithms that strings and vectors bring along.
#pragma once
#include <iterator>
#include <cstdint>
#include "minmax.h"
#pragma clang force_cuda_host_device begin
namespace std {
template <class _It, class _It2> CUDALINT_OPAQUE pair<_It, _It2> mismatch(_It first, _It last, _It2 first2);
template <class _It, class _It2> CUDALINT_OPAQUE bool equal(_It first, _It last, _It2 first2);
template <class _It, class _It2, class _P> CUDALINT_OPAQUE bool equal(_It first, _It last, _It2 first2, _P pred);
template <class _It, class _Out> CUDALINT_OPAQUE _Out copy(_It first, _It last, _Out result);
template <class _It, class _N, class _Out> CUDALINT_OPAQUE _Out copy_n(_It first, _N _n, _Out result);
template <class _It, class _Out> CUDALINT_OPAQUE _Out copy_backward(_It first, _It last, _Out result);
template <class _It, class _Out> CUDALINT_OPAQUE _Out move(_It first, _It last, _Out result);
template <class _It, class _It2> CUDALINT_OPAQUE _It2 swap_ranges(_It first, _It last, _It2 first2);
template <class _A, class _B> CUDALINT_OPAQUE void iter_swap(_A _a, _B _b);
template <class _It, class _T> CUDALINT_OPAQUE void fill(_It first, _It last, const _T &value);
template <class _Out, class _N, class _T> CUDALINT_OPAQUE _Out fill_n(_Out first, _N _n, const _T &value);
template <class _It, class _It2> CUDALINT_OPAQUE bool lexicographical_compare(_It first, _It last, _It2 first2, _It2 last2);
}
#pragma clang force_cuda_host_device end
