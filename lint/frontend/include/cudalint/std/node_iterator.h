// The iterator of node-based containers.
#pragma once
#include <iterator>
#include "cudalint/std/allocator.h"
#include "cudalint/std/hash.h"
#pragma clang force_cuda_host_device begin
namespace std {
template <class _T> struct node_iterator {
  typedef bidirectional_iterator_tag iterator_category;
  typedef remove_const_t<_T> value_type;
  typedef ptrdiff_t difference_type;
  typedef _T *pointer;
  typedef _T &reference;
  node_iterator() noexcept;
  node_iterator(const node_iterator<remove_const_t<_T>> &other) noexcept;
  _T &operator*() const noexcept;
  _T *operator->() const noexcept;
  node_iterator &operator++() noexcept;
  node_iterator operator++(int) noexcept;
  node_iterator &operator--() noexcept;
  node_iterator operator--(int) noexcept;
  friend bool operator==(const node_iterator &_x, const node_iterator &_y) noexcept;
  friend bool operator!=(const node_iterator &_x, const node_iterator &_y) noexcept;
};
}
// Members that every container has.
#define CUDALINT_CONTAINER(Self, ...) \
  typedef __VA_ARGS__ value_type; \
  typedef size_t size_type; \
  typedef ptrdiff_t difference_type; \
  typedef value_type &reference; \
  typedef const value_type &const_reference; \
  Self() noexcept; \
  Self(const Self &other); \
  Self(Self &&other) noexcept; \
  template <class _It, class = typename iterator_traits<_It>::iterator_category> Self(_It first, _It last); \
  Self(initializer_list<value_type> init); \
  ~Self(); \
  Self &operator=(const Self &other); \
  Self &operator=(Self &&other) noexcept; \
  Self &operator=(initializer_list<value_type> init); \
  iterator begin() noexcept; \
  const_iterator begin() const noexcept; \
  iterator end() noexcept; \
  const_iterator end() const noexcept; \
  const_iterator cbegin() const noexcept; \
  const_iterator cend() const noexcept; \
  bool empty() const noexcept; \
  size_type size() const noexcept; \
  size_type max_size() const noexcept; \
  void clear() noexcept; \
  void swap(Self &other) noexcept; \
  iterator erase(const_iterator position); \
  iterator erase(const_iterator first, const_iterator last); \
  friend bool operator==(const Self &_x, const Self &_y); \
  friend bool operator!=(const Self &_x, const Self &_y);
#pragma clang force_cuda_host_device end
