// The default allocator.
#pragma once
#include <utility>
#pragma clang force_cuda_host_device begin
namespace std {
template <class _T> struct allocator {
  typedef _T value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef _T *pointer;
  typedef const _T *const_pointer;
  typedef _T &reference;
  typedef const _T &const_reference;
  template <class _U> struct rebind { typedef allocator<_U> other; };
  allocator() noexcept;
  template <class _U> allocator(const allocator<_U> &) noexcept;
  _T *allocate(size_t _n);
  void deallocate(_T *_p, size_t _n);
};
template <class _A> struct allocator_traits {
  typedef typename _A::value_type value_type;
  typedef value_type *pointer;
  typedef const value_type *const_pointer;
  typedef void *void_pointer;
  typedef const void *const_void_pointer;
  typedef ptrdiff_t difference_type;
  typedef size_t size_type;
  template <class _U> using rebind_alloc = typename _A::template rebind<_U>::other;
  static pointer allocate(_A &_a, size_t _n);
  static void deallocate(_A &_a, pointer _p, size_t _n);
};
}
#pragma clang force_cuda_host_device end
