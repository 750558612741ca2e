// thrust: counting, constant, transform, zip, permutation and discard iterators.
#pragma once
#include "core.h"
#pragma clang force_cuda_host_device begin
#define CUDALINT_THRUST_ITERATOR(Self) \
  Self() = default; \
  reference operator*() const; \
  reference operator[](difference_type n) const; \
  Self &operator++(); \
  Self operator++(int); \
  Self &operator--(); \
  Self operator--(int); \
  Self &operator+=(difference_type n); \
  Self &operator-=(difference_type n); \
  Self operator+(difference_type n) const; \
  Self operator-(difference_type n) const; \
  difference_type operator-(const Self &other) const; \
  bool operator==(const Self &other) const; \
  bool operator!=(const Self &other) const; \
  bool operator<(const Self &other) const;
namespace thrust {
namespace detail {
struct any_t {
  template <class T> any_t(T &&);
  any_t() = default;
  template <class T> const any_t &operator=(T &&) const;
};
template <class Tuple> struct zip_values;
template <class... T> struct zip_values<tuple<T...>> {
  typedef tuple<typename std::iterator_traits<T>::value_type...> type;
  typedef tuple<typename std::iterator_traits<T>::reference...> reference;
};
}
template <class T, class System = void, class Traversal = void, class Difference = void> class counting_iterator {
public:
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(counting_iterator)
  explicit counting_iterator(T x);
  T base() const;
};
template <class T> counting_iterator<T> make_counting_iterator(T x);
template <class T, class Difference = void, class System = void> class constant_iterator {
public:
  typedef T value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef T reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(constant_iterator)
  explicit constant_iterator(T x);
};
template <class T> constant_iterator<T> make_constant_iterator(T x);
template <class System = void> class discard_iterator {
public:
  typedef detail::any_t value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef detail::any_t reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(discard_iterator)
};
inline discard_iterator<> make_discard_iterator() { return discard_iterator<>(); }
template <class F, class It, class Ref = void, class Value = void> class transform_iterator {
public:
  typedef std::decay_t<decltype(std::declval<F>()(*std::declval<It>()))> value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef value_type reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(transform_iterator)
  transform_iterator(It it, F f);
  explicit transform_iterator(It it);
  It base() const;
};
template <class F, class It> CUDALINT_OPAQUE transform_iterator<F, It> make_transform_iterator(It it, F f);
template <class It, class Index> class permutation_iterator {
public:
  typedef typename std::iterator_traits<It>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef typename std::iterator_traits<It>::reference reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(permutation_iterator)
  permutation_iterator(It it, Index index);
};
template <class It, class Index> permutation_iterator<It, Index> make_permutation_iterator(It it, Index index);
template <class Tuple> class zip_iterator {
public:
  typedef typename detail::zip_values<Tuple>::type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef typename detail::zip_values<Tuple>::reference reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(zip_iterator)
  zip_iterator(Tuple t);
  const Tuple &get_iterator_tuple() const;
};
template <class... T> zip_iterator<tuple<T...>> make_zip_iterator(tuple<T...> t);
template <class... T> zip_iterator<tuple<T...>> make_zip_iterator(T... t);
template <class It> class reverse_iterator {
public:
  typedef typename std::iterator_traits<It>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef typename std::iterator_traits<It>::reference reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(reverse_iterator)
  explicit reverse_iterator(It it);
};
template <class It> reverse_iterator<It> make_reverse_iterator(It it);
template <class F, class It> class transform_output_iterator {
public:
  typedef detail::any_t value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef detail::any_t reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(transform_output_iterator)
  transform_output_iterator(It it, F f);
};
template <class F, class It> CUDALINT_OPAQUE transform_output_iterator<F, It> make_transform_output_iterator(It it, F f);
template <class F, class It> CUDALINT_OPAQUE transform_output_iterator<F, It> make_tabulate_output_iterator(F f, It it);
}
#undef CUDALINT_THRUST_ITERATOR
#pragma clang force_cuda_host_device end
