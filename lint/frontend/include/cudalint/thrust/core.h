// thrust: policies, device pointers, vectors, tuples and function objects.
#pragma once
#include <cudalint_prelude.h>
#include <tuple>
#include <vector>
#include <stdexcept>
#include <iterator>
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
template <class Policy> struct execution_policy {
  template <class Allocator> Policy operator()(Allocator &&alloc) const;
  Policy on(cudaStream_t stream) const;
  template <class Allocator> Policy with(Allocator &&alloc) const;
};
}
struct device_execution_policy : detail::execution_policy<device_execution_policy> {};
struct host_execution_policy : detail::execution_policy<host_execution_policy> {};
template <class Policy> using execution_policy = detail::execution_policy<Policy>;
constexpr device_execution_policy device{};
constexpr host_execution_policy host{};
constexpr host_execution_policy seq{};
namespace cuda {
template <class Policy> using execution_policy = detail::execution_policy<Policy>;
constexpr device_execution_policy par{};
constexpr device_execution_policy par_nosync{};
}
namespace omp { constexpr host_execution_policy par{}; }
struct device_system_tag {};
struct host_system_tag {};
struct random_access_traversal_tag {};

template <class T> struct device_reference;
template <class T> class device_ptr {
public:
  typedef T element_type;
  typedef std::remove_cv_t<T> value_type;
  typedef ptrdiff_t difference_type;
  typedef device_ptr pointer;
  typedef T *raw_pointer;
  typedef device_reference<T> reference;
  typedef std::random_access_iterator_tag iterator_category;
  device_ptr() noexcept;
  device_ptr(std::nullptr_t) noexcept;
  template <class U> explicit device_ptr(U *ptr);
  template <class U> device_ptr(const device_ptr<U> &other);
  T *get() const;
  device_ptr base() const;
  reference operator*() const;
  reference operator[](difference_type n) const;
  T *operator->() const;
  device_ptr &operator++();
  device_ptr operator++(int);
  device_ptr &operator--();
  device_ptr operator--(int);
  device_ptr &operator+=(difference_type n);
  device_ptr &operator-=(difference_type n);
  device_ptr operator+(difference_type n) const;
  device_ptr operator-(difference_type n) const;
  difference_type operator-(const device_ptr &other) const;
  bool operator==(const device_ptr &other) const;
  bool operator!=(const device_ptr &other) const;
  bool operator<(const device_ptr &other) const;
  explicit operator bool() const;
};
template <class T> device_ptr<T> operator+(ptrdiff_t n, const device_ptr<T> &p);
template <class T> struct device_reference {
  typedef T value_type;
  device_reference(const device_reference &other);
  template <class U> device_reference &operator=(const U &value);
  device_reference &operator=(const device_reference &other);
  operator T() const;
  device_ptr<T> operator&() const;
  device_reference &operator++();
  T operator++(int);
  device_reference &operator--();
  T operator--(int);
  template <class U> device_reference &operator+=(const U &value);
  template <class U> device_reference &operator-=(const U &value);
  template <class U> device_reference &operator*=(const U &value);
  template <class U> device_reference &operator/=(const U &value);
  void swap(device_reference &other);
};
template <class T> T *raw_pointer_cast(T *ptr);
template <class T> T *raw_pointer_cast(const device_ptr<T> &ptr);
template <class T> T &raw_reference_cast(const device_reference<T> &ref);
template <class T> T &raw_reference_cast(T &ref);
template <class T> device_ptr<T> device_pointer_cast(T *ptr);
template <class T> device_ptr<T> device_pointer_cast(const device_ptr<T> &ptr);
device_ptr<void> device_malloc(size_t n);
template <class T> device_ptr<T> device_malloc(size_t n);
template <class T> device_ptr<T> device_new(size_t n = 1);
template <class T> void device_free(device_ptr<T> ptr);
template <class T> void device_delete(device_ptr<T> ptr, size_t n = 0);
template <class T> struct device_allocator { typedef T value_type; };
template <class T> struct device_malloc_allocator : device_allocator<T> {
  typedef device_ptr<T> pointer;
  typedef size_t size_type;
};
struct no_init_t {};
constexpr no_init_t no_init{};
struct default_init_t {};
constexpr default_init_t default_init{};

#define CUDALINT_THRUST_VECTOR(Self, Ptr, ConstPtr, Ref, ConstRef) \
  public: \
    typedef T value_type; \
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
    explicit Self(size_type n); \
    Self(size_type n, no_init_t); \
    Self(size_type n, default_init_t); \
    Self(size_type n, const T &value); \
    Self(const Self &v); \
    Self(Self &&v) noexcept; \
    Self(std::initializer_list<T> il); \
    template <class U, class A2> Self(const host_vector<U, A2> &v); \
    template <class U, class A2> Self(const device_vector<U, A2> &v); \
    template <class U, class A2> Self(const std::vector<U, A2> &v); \
    template <class It, class = typename std::iterator_traits<It>::iterator_category> Self(It first, It last); \
    ~Self(); \
    Self &operator=(const Self &v); \
    Self &operator=(Self &&v) noexcept; \
    Self &operator=(std::initializer_list<T> il); \
    template <class U, class A2> Self &operator=(const host_vector<U, A2> &v); \
    template <class U, class A2> Self &operator=(const device_vector<U, A2> &v); \
    template <class U, class A2> Self &operator=(const std::vector<U, A2> &v); \
    void resize(size_type n); \
    void resize(size_type n, const T &value); \
    size_type size() const; \
    size_type max_size() const; \
    size_type capacity() const; \
    bool empty() const; \
    void reserve(size_type n); \
    void shrink_to_fit(); \
    reference operator[](size_type n); \
    const_reference operator[](size_type n) const; \
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
    void push_back(const T &value); \
    template <class... Args> void emplace_back(Args &&...args); \
    void pop_back(); \
    void swap(Self &v); \
    iterator erase(iterator pos); \
    iterator erase(iterator first, iterator last); \
    iterator insert(iterator pos, const T &value); \
    void insert(iterator pos, size_type n, const T &value); \
    template <class It> void insert(iterator pos, It first, It last); \
    void assign(size_type n, const T &value); \
    template <class It> void assign(It first, It last);
template <class T, class A> class device_vector;
template <class T, class A = std::allocator<T>> class host_vector {
  T *first, *last, *limit;
  CUDALINT_THRUST_VECTOR(host_vector, T *, const T *, T &, const T &)
};
template <class T, class A = device_allocator<T>> class device_vector {
  T *first, *last, *limit;
  CUDALINT_THRUST_VECTOR(device_vector, device_ptr<T>, device_ptr<const T>, device_reference<T>, device_reference<const T>)
};
template <class T, class A = std::allocator<T>> using universal_vector = host_vector<T, A>;
#undef CUDALINT_THRUST_VECTOR
template <class T, class A, class U, class B> bool operator==(const device_vector<T, A> &x, const device_vector<U, B> &y);
template <class T, class A, class U, class B> bool operator==(const host_vector<T, A> &x, const host_vector<U, B> &y);
template <class T, class A, class U, class B> bool operator!=(const device_vector<T, A> &x, const device_vector<U, B> &y);

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
template <class It> using iterator_value = std::iterator_traits<It>;
template <class It> using iterator_value_t = typename std::iterator_traits<It>::value_type;
template <class It> struct iterator_difference { typedef typename std::iterator_traits<It>::difference_type type; };
template <class It> using iterator_traits = std::iterator_traits<It>;
template <class It> struct iterator_system { typedef device_system_tag type; };

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
template <class T = void> struct maximum { constexpr T operator()(const T &x, const T &y) const { return x < y ? y : x; } };
template <class T = void> struct minimum { constexpr T operator()(const T &x, const T &y) const { return y < x ? y : x; } };
template <> struct maximum<void> { template <class A, class B> constexpr std::common_type_t<A, B> operator()(A &&x, B &&y) const { return x < y ? y : x; } };
template <> struct minimum<void> { template <class A, class B> constexpr std::common_type_t<A, B> operator()(A &&x, B &&y) const { return y < x ? y : x; } };
template <class T = void> struct identity { constexpr const T &operator()(const T &x) const { return x; } };
template <class T = void> struct square { constexpr T operator()(const T &x) const { return x * x; } };
template <class A, class R> struct unary_function {
  typedef A argument_type;
  typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
  typedef A first_argument_type;
  typedef B second_argument_type;
  typedef R result_type;
};
template <class F> F not1(F f);
template <class F> F not2(F f);
template <class F> F make_zip_function(F f);
template <class F> struct zip_function { explicit zip_function(F f); template <class T> auto operator()(T &&t) const; };
namespace placeholders {
struct actor {};
template <class T> actor operator+(const actor &a, const T &b);
template <class T> actor operator-(const actor &a, const T &b);
template <class T> actor operator*(const actor &a, const T &b);
template <class T> actor operator/(const actor &a, const T &b);
template <class T> actor operator%(const actor &a, const T &b);
template <class T> actor operator==(const actor &a, const T &b);
template <class T> actor operator!=(const actor &a, const T &b);
template <class T> actor operator<(const actor &a, const T &b);
template <class T> actor operator>(const actor &a, const T &b);
template <class T> actor operator<=(const actor &a, const T &b);
template <class T> actor operator>=(const actor &a, const T &b);
template <class T> actor operator&&(const actor &a, const T &b);
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> actor operator+(const T &a, const actor &b);
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> actor operator-(const T &a, const actor &b);
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> actor operator*(const T &a, const actor &b);
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> actor operator/(const T &a, const actor &b);
actor operator-(const actor &a);
actor operator!(const actor &a);
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
