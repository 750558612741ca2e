// thrust: counting, constant, transform, zip, permutation and discard iterators.
#pragma once
#include "core.h"
#pragma clang force_cuda_host_device begin
#define CUDALINT_THRUST_ITERATOR(Self) \
  Self() = default; \
  reference operator*() const; \
  reference operator[](difference_type _n) const; \
  Self &operator++(); \
  Self operator++(int); \
  Self &operator--(); \
  Self operator--(int); \
  Self &operator+=(difference_type _n); \
  Self &operator-=(difference_type _n); \
  Self operator+(difference_type _n) const; \
  Self operator-(difference_type _n) const; \
  difference_type operator-(const Self &other) const; \
  bool operator==(const Self &other) const; \
  bool operator!=(const Self &other) const; \
  bool operator<(const Self &other) const;
namespace thrust {
namespace detail {
struct any_t {
  template <class _T> any_t(_T &&);
  any_t() = default;
  template <class _T> const any_t &operator=(_T &&) const;
};
template <class _Tuple> struct zip_values;
template <class... _T> struct zip_values<tuple<_T...>> {
  typedef tuple<typename std::iterator_traits<_T>::value_type...> type;
  typedef tuple<typename std::iterator_traits<_T>::reference...> reference;
};
}
template <class _T, class _System = void, class _Traversal = void, class _Difference = void> class counting_iterator {
public:
  typedef _T value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef _T reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(counting_iterator)
  explicit counting_iterator(_T _x);
  _T base() const;
};
template <class _T> counting_iterator<_T> make_counting_iterator(_T _x);
template <class _T, class _Difference = void, class _System = void> class constant_iterator {
public:
  typedef _T value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef _T reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(constant_iterator)
  explicit constant_iterator(_T _x);
};
template <class _T> constant_iterator<_T> make_constant_iterator(_T _x);
template <class _System = void> class discard_iterator {
public:
  typedef detail::any_t value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef detail::any_t reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(discard_iterator)
};
inline discard_iterator<> make_discard_iterator() { return discard_iterator<>(); }
template <class _F, class _It, class _Ref = void, class _Value = void> class transform_iterator {
public:
  typedef std::decay_t<decltype(std::declval<_F>()(*std::declval<_It>()))> value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef value_type reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(transform_iterator)
  transform_iterator(_It it, _F _f);
  explicit transform_iterator(_It it);
  _It base() const;
};
template <class _F, class _It> CUDALINT_OPAQUE transform_iterator<_F, _It> make_transform_iterator(_It it, _F _f);
template <class _It, class _Index> class permutation_iterator {
public:
  typedef typename std::iterator_traits<_It>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef typename std::iterator_traits<_It>::reference reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(permutation_iterator)
  permutation_iterator(_It it, _Index index);
};
template <class _It, class _Index> permutation_iterator<_It, _Index> make_permutation_iterator(_It it, _Index index);
template <class _Tuple> class zip_iterator {
public:
  typedef typename detail::zip_values<_Tuple>::type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef typename detail::zip_values<_Tuple>::reference reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(zip_iterator)
  zip_iterator(_Tuple _t);
  const _Tuple &get_iterator_tuple() const;
};
template <class... _T> zip_iterator<tuple<_T...>> make_zip_iterator(tuple<_T...> _t);
template <class... _T> zip_iterator<tuple<_T...>> make_zip_iterator(_T... _t);
template <class _It> class reverse_iterator {
public:
  typedef typename std::iterator_traits<_It>::value_type value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef typename std::iterator_traits<_It>::reference reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(reverse_iterator)
  explicit reverse_iterator(_It it);
};
template <class _It> reverse_iterator<_It> make_reverse_iterator(_It it);
template <class _F, class _It> class transform_output_iterator {
public:
  typedef detail::any_t value_type;
  typedef ptrdiff_t difference_type;
  typedef value_type *pointer;
  typedef detail::any_t reference;
  typedef std::random_access_iterator_tag iterator_category;
  CUDALINT_THRUST_ITERATOR(transform_output_iterator)
  transform_output_iterator(_It it, _F _f);
};
template <class _F, class _It> CUDALINT_OPAQUE transform_output_iterator<_F, _It> make_transform_output_iterator(_It it, _F _f);
template <class _F, class _It> CUDALINT_OPAQUE transform_output_iterator<_F, _It> make_tabulate_output_iterator(_F _f, _It it);
}
#undef CUDALINT_THRUST_ITERATOR
#pragma clang force_cuda_host_device end
