// thrust: policies, device pointers, vectors, tuples and function objects.
#pragma once
#include <cudalint_prelude.h>
#include <tuple>
#include <vector>
#include <stdexcept>
#include <iterator>
#include <algorithm>
#include <iostream>
#include <chrono>
#include <limits>
#pragma clang force_cuda_host_device begin
#define THRUST_MAJOR_VERSION 3
#define THRUST_MINOR_VERSION 0
#define THRUST_SUBMINOR_VERSION 1
#define THRUST_VERSION 300001
#define CUB_VERSION 300001
namespace thrust {
using std::ptrdiff_t;
using std::size_t;
namespace detail {
template <class _Policy> struct execution_policy {
  template <class _Allocator> _Policy operator()(_Allocator &&alloc) const;
  _Policy on(cudaStream_t stream) const;
  template <class _Allocator> _Policy with(_Allocator &&alloc) const;
};
}
struct device_execution_policy : detail::execution_policy<device_execution_policy> {};
struct host_execution_policy : detail::execution_policy<host_execution_policy> {};
template <class _Policy> using execution_policy = detail::execution_policy<_Policy>;
constexpr device_execution_policy device{};
constexpr host_execution_policy host{};
constexpr host_execution_policy seq{};
namespace cuda {
template <class _Policy> using execution_policy = detail::execution_policy<_Policy>;
constexpr device_execution_policy par{};
constexpr device_execution_policy par_nosync{};
}
namespace omp { constexpr host_execution_policy par{}; }
struct device_system_tag {};
struct host_system_tag {};
struct random_access_traversal_tag {};

template <class _T> struct device_reference;
template <class _T> class device_ptr {
public:
  typedef _T element_type;
  typedef std::remove_cv_t<_T> value_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr pointer;
  typedef _T *raw_pointer;
  typedef device_reference<_T> reference;
  typedef std::random_access_iterator_tag iterator_category;
  device_ptr() noexcept;
  device_ptr(std::nullptr_t) noexcept;
  template <class _U> explicit device_ptr(_U *ptr);
  template <class _U> device_ptr(const device_ptr<_U> &other);
  _T *get() const;
  device_ptr base() const;
  reference operator*() const;
  reference operator[](difference_type _n) const;
  _T *operator->() const;
  device_ptr &operator++();
  device_ptr operator++(int);
  device_ptr &operator--();
  device_ptr operator--(int);
  device_ptr &operator+=(difference_type _n);
  device_ptr &operator-=(difference_type _n);
  device_ptr operator+(difference_type _n) const;
  device_ptr operator-(difference_type _n) const;
  difference_type operator-(const device_ptr &other) const;
  bool operator==(const device_ptr &other) const;
  bool operator!=(const device_ptr &other) const;
  bool operator<(const device_ptr &other) const;
  explicit operator bool() const;
};
template <class _T> device_ptr<_T> operator+(ptrdiff_t _n, const device_ptr<_T> &_p);
template <class _T> struct device_reference {
  typedef _T value_type;
  device_reference(const device_reference &other);
  template <class _U> device_reference &operator=(const _U &value);
  device_reference &operator=(const device_reference &other);
  operator _T() const;
  device_ptr<_T> operator&() const;
  device_reference &operator++();
  _T operator++(int);
  device_reference &operator--();
  _T operator--(int);
  template <class _U> device_reference &operator+=(const _U &value);
  template <class _U> device_reference &operator-=(const _U &value);
  template <class _U> device_reference &operator*=(const _U &value);
  template <class _U> device_reference &operator/=(const _U &value);
  void swap(device_reference &other);
};
template <class _T> std::ostream &operator<<(std::ostream &os, const device_reference<_T> &ref);
template <class _T> _T *raw_pointer_cast(_T *ptr);
template <class _T> _T *raw_pointer_cast(const device_ptr<_T> &ptr);
template <class _T> _T &raw_reference_cast(const device_reference<_T> &ref);
template <class _T> _T &raw_reference_cast(_T &ref);
template <class _T> device_ptr<_T> device_pointer_cast(_T *ptr);
template <class _T> device_ptr<_T> device_pointer_cast(const device_ptr<_T> &ptr);
device_ptr<void> device_malloc(size_t _n);
template <class _T> device_ptr<_T> device_malloc(size_t _n);
template <class _T> device_ptr<_T> device_new(size_t _n = 1);
template <class _T> void device_free(device_ptr<_T> ptr);
template <class _T> void device_delete(device_ptr<_T> ptr, size_t _n = 0);
template <class _T> struct device_allocator { typedef _T value_type; };
template <class _T> struct device_malloc_allocator : device_allocator<_T> {
  typedef device_ptr<_T> pointer;
  typedef size_t size_type;
};
struct no_init_t {};
constexpr no_init_t no_init{};
struct default_init_t {};
constexpr default_init_t default_init{};

#define CUDALINT_THRUST_VECTOR(Self, Ptr, ConstPtr, Ref, ConstRef) \
  public: \
    typedef _T value_type; \
    typedef size_t size_type; \
    typedef ptrdiff_t difference_type; \
    typedef Ptr iterator; \
    typedef ConstPtr const_iterator; \
    typedef Ptr pointer; \
    typedef ConstPtr const_pointer; \
    typedef Ref reference; \
    typedef ConstRef const_reference; \
    typedef std::reverse_iterator<iterator> reverse_iterator; \
    Self(); \
    explicit Self(size_type _n); \
    Self(size_type _n, no_init_t); \
    Self(size_type _n, default_init_t); \
    Self(size_type _n, const _T &value); \
    Self(const Self &_v); \
    Self(Self &&_v) noexcept; \
    Self(std::initializer_list<_T> il); \
    template <class _U, class _A2> Self(const host_vector<_U, _A2> &_v); \
    template <class _U, class _A2> Self(const device_vector<_U, _A2> &_v); \
    template <class _U, class _A2> Self(const std::vector<_U, _A2> &_v); \
    template <class _It, class = typename std::iterator_traits<_It>::iterator_category> Self(_It first, _It last); \
    ~Self(); \
    Self &operator=(const Self &_v); \
    Self &operator=(Self &&_v) noexcept; \
    Self &operator=(std::initializer_list<_T> il); \
    template <class _U, class _A2> Self &operator=(const host_vector<_U, _A2> &_v); \
    template <class _U, class _A2> Self &operator=(const device_vector<_U, _A2> &_v); \
    template <class _U, class _A2> Self &operator=(const std::vector<_U, _A2> &_v); \
    void resize(size_type _n); \
    void resize(size_type _n, const _T &value); \
    size_type size() const; \
    size_type max_size() const; \
    size_type capacity() const; \
    bool empty() const; \
    void reserve(size_type _n); \
    void shrink_to_fit(); \
    reference operator[](size_type _n); \
    const_reference operator[](size_type _n) const; \
    iterator begin(); \
    const_iterator begin() const; \
    const_iterator cbegin() const; \
    reverse_iterator rbegin(); \
    iterator end(); \
    const_iterator end() const; \
    const_iterator cend() const; \
    reverse_iterator rend(); \
    reference front(); \
    const_reference front() const; \
    reference back(); \
    const_reference back() const; \
    pointer data(); \
    const_pointer data() const; \
    void clear(); \
    void push_back(const _T &value); \
    template <class... _Args> void emplace_back(_Args &&...args); \
    void pop_back(); \
    void swap(Self &_v); \
    iterator erase(iterator pos); \
    iterator erase(iterator first, iterator last); \
    iterator insert(iterator pos, const _T &value); \
    void insert(iterator pos, size_type _n, const _T &value); \
    template <class _It> void insert(iterator pos, _It first, _It last); \
    void assign(size_type _n, const _T &value); \
    template <class _It> void assign(_It first, _It last);
template <class _T, class _A> class device_vector;
template <class _T, class _A = std::allocator<_T>> class host_vector {
  _T *first, *last, *limit;
  CUDALINT_THRUST_VECTOR(host_vector, _T *, const _T *, _T &, const _T &)
};
template <class _T, class _A = device_allocator<_T>> class device_vector {
  _T *first, *last, *limit;
  CUDALINT_THRUST_VECTOR(device_vector, device_ptr<_T>, device_ptr<const _T>, device_reference<_T>, device_reference<const _T>)
};
template <class _T, class _A = std::allocator<_T>> using universal_vector = host_vector<_T, _A>;
#undef CUDALINT_THRUST_VECTOR
template <class _T, class _A, class _U, class _B> bool operator==(const device_vector<_T, _A> &_x, const device_vector<_U, _B> &_y);
template <class _T, class _A, class _U, class _B> bool operator==(const host_vector<_T, _A> &_x, const host_vector<_U, _B> &_y);
template <class _T, class _A, class _U, class _B> bool operator==(const host_vector<_T, _A> &_x, const std::vector<_U, _B> &_y);
template <class _T, class _A, class _U, class _B> bool operator==(const device_vector<_T, _A> &_x, const host_vector<_U, _B> &_y);
template <class _T, class _A, class _U, class _B> bool operator==(const host_vector<_T, _A> &_x, const device_vector<_U, _B> &_y);
template <class _T, class _A, class _U, class _B> bool operator==(const device_vector<_T, _A> &_x, const std::vector<_U, _B> &_y);
template <class _T, class _A, class _U, class _B> bool operator!=(const device_vector<_T, _A> &_x, const device_vector<_U, _B> &_y);

using std::tuple;
using std::tuple_element;
using std::tuple_size;
using std::get;
using std::tie;
using std::make_tuple;
using std::pair;
using std::make_pair;
using std::swap;
using std::distance;
using std::advance;
using std::next;
using std::prev;
template <class _It> using iterator_value = std::iterator_traits<_It>;
template <class _It> using iterator_value_t = typename std::iterator_traits<_It>::value_type;
template <class _It> struct iterator_difference { typedef typename std::iterator_traits<_It>::difference_type type; };
template <class _It> using iterator_traits = std::iterator_traits<_It>;
template <class _It> struct iterator_system { typedef device_system_tag type; };

using std::plus;
using std::minus;
using std::multiplies;
using std::divides;
using std::modulus;
using std::negate;
using std::equal_to;
using std::not_equal_to;
using std::greater;
using std::less;
using std::greater_equal;
using std::less_equal;
using std::logical_and;
using std::logical_or;
using std::logical_not;
using std::bit_and;
using std::bit_or;
using std::bit_xor;
template <class _T = void> struct maximum { constexpr _T operator()(const _T &_x, const _T &_y) const { return _x < _y ? _y : _x; } };
template <class _T = void> struct minimum { constexpr _T operator()(const _T &_x, const _T &_y) const { return _y < _x ? _y : _x; } };
template <> struct maximum<void> { template <class _A, class _B> constexpr std::common_type_t<_A, _B> operator()(_A &&_x, _B &&_y) const { return _x < _y ? _y : _x; } };
template <> struct minimum<void> { template <class _A, class _B> constexpr std::common_type_t<_A, _B> operator()(_A &&_x, _B &&_y) const { return _y < _x ? _y : _x; } };
template <class _T = void> struct identity { constexpr const _T &operator()(const _T &_x) const { return _x; } };
template <class _T = void> struct square { constexpr _T operator()(const _T &_x) const { return _x * _x; } };
template <class _A, class _R> struct unary_function {
  typedef _A argument_type;
  typedef _R result_type;
};
template <class _A, class _B, class _R> struct binary_function {
  typedef _A first_argument_type;
  typedef _B second_argument_type;
  typedef _R result_type;
};
template <class _F> _F not1(_F _f);
template <class _F> _F not2(_F _f);
template <class _F> _F make_zip_function(_F _f);
template <class _F> struct zip_function { explicit zip_function(_F _f); template <class _T> auto operator()(_T &&_t) const; };
namespace placeholders {
struct actor {};
template <class _T> actor operator+(const actor &_a, const _T &_b);
template <class _T> actor operator-(const actor &_a, const _T &_b);
template <class _T> actor operator*(const actor &_a, const _T &_b);
template <class _T> actor operator/(const actor &_a, const _T &_b);
template <class _T> actor operator%(const actor &_a, const _T &_b);
template <class _T> actor operator==(const actor &_a, const _T &_b);
template <class _T> actor operator!=(const actor &_a, const _T &_b);
template <class _T> actor operator<(const actor &_a, const _T &_b);
template <class _T> actor operator>(const actor &_a, const _T &_b);
template <class _T> actor operator<=(const actor &_a, const _T &_b);
template <class _T> actor operator>=(const actor &_a, const _T &_b);
template <class _T> actor operator&&(const actor &_a, const _T &_b);
template <class _T, class = std::enable_if_t<std::is_arithmetic_v<_T>>> actor operator+(const _T &_a, const actor &_b);
template <class _T, class = std::enable_if_t<std::is_arithmetic_v<_T>>> actor operator-(const _T &_a, const actor &_b);
template <class _T, class = std::enable_if_t<std::is_arithmetic_v<_T>>> actor operator*(const _T &_a, const actor &_b);
template <class _T, class = std::enable_if_t<std::is_arithmetic_v<_T>>> actor operator/(const _T &_a, const actor &_b);
actor operator-(const actor &_a);
actor operator!(const actor &_a);
extern const actor _1, _2, _3, _4;
}

namespace system {
class error_code : public std::exception { public: int value() const; };
class system_error : public std::runtime_error {
public:
  system_error(int code, int category, const char *what = "");
  const error_code &code() const;
};
int cuda_category();
}
using system::system_error;
int cuda_category();
}
#pragma clang force_cuda_host_device end
