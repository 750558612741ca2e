// The default allocator.
#pragma once
#include <utility>
#pragma clang force_cuda_host_device begin
namespace std {
template <class T> struct allocator {
  typedef T value_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef T *pointer;
  typedef const T *const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
  template <class U> struct rebind { typedef allocator<U> other; };
  allocator() noexcept;
  template <class U> allocator(const allocator<U> &) noexcept;
  T *allocate(size_t n);
  void deallocate(T *p, size_t n);
};
template <class A> struct allocator_traits {
  typedef typename A::value_type value_type;
  typedef value_type *pointer;
  template <class U> using rebind_alloc = typename A::template rebind<U>::other;
  static pointer allocate(A &a, size_t n);
  static void deallocate(A &a, pointer p, size_t n);
};
}
#pragma clang force_cuda_host_device end
