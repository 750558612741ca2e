// Warp matrix functions (tensor cores).
#pragma once
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#pragma clang force_cuda_host_device begin
namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
struct u4;
struct s4;
struct b1;
}
namespace experimental {
namespace precision { using namespace wmma::precision; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}
using experimental::bmmaBitOp;
using experimental::bmmaBitOpXOR;
using experimental::bmmaBitOpAND;
using experimental::bmmaAccumulateOp;
using experimental::bmmaAccumulateOpPOPC;
template <class T> struct element { typedef T type; };
template <> struct element<precision::tf32> { typedef float type; };
template <> struct element<precision::u4> { typedef unsigned int type; };
template <> struct element<precision::s4> { typedef int type; };
template <> struct element<precision::b1> { typedef unsigned int type; };
template <class Use, int m, int n, int k> struct fragment_size { static constexpr int value = m * n / 32; };
template <int m, int n, int k> struct fragment_size<matrix_a, m, n, k> { static constexpr int value = m * k / 16; };
template <int m, int n, int k> struct fragment_size<matrix_b, m, n, k> { static constexpr int value = k * n / 16; };
template <class Use, int m, int n, int k, class T, class Layout = void> class fragment {
public:
  typedef typename element<T>::type element_type;
  typedef element_type storage_element_type;
  static constexpr int num_elements = fragment_size<Use, m, n, k>::value;
  static constexpr int num_storage_elements = num_elements;
  element_type x[num_elements];
};
#define CUDALINT_FRAGMENT template <class Use, int m, int n, int k, class T, class Layout>
CUDALINT_FRAGMENT void fill_fragment(fragment<Use, m, n, k, T, Layout> &a, const typename element<T>::type &v);
CUDALINT_FRAGMENT void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &a, const typename element<T>::type *mptr, unsigned int ldm);
CUDALINT_FRAGMENT void load_matrix_sync(fragment<Use, m, n, k, T, Layout> &a, const typename element<T>::type *mptr, unsigned int ldm, layout_t layout);
CUDALINT_FRAGMENT void store_matrix_sync(typename element<T>::type *mptr, const fragment<Use, m, n, k, T, Layout> &a, unsigned int ldm, layout_t layout);
#undef CUDALINT_FRAGMENT
template <int m, int n, int k, class A, class LA, class B, class LB, class C, class D>
void mma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, A, LA> &a, const fragment<matrix_b, m, n, k, B, LB> &b, const fragment<accumulator, m, n, k, C> &c, bool satf = false);
template <int m, int n, int k, class A, class LA, class B, class LB, class C, class D>
void bmma_sync(fragment<accumulator, m, n, k, D> &d, const fragment<matrix_a, m, n, k, A, LA> &a, const fragment<matrix_b, m, n, k, B, LB> &b, const fragment<accumulator, m, n, k, C> &c, bmmaBitOp op = bmmaBitOpXOR, bmmaAccumulateOp acc = bmmaAccumulateOpPOPC);
float __float_to_tf32(float x);
}
}
using nvcuda::wmma::__float_to_tf32;
#pragma clang force_cuda_host_device end
