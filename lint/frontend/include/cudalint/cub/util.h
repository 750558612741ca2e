// cub: types, operators and iterators.
#pragma once
#include "../thrust/iterators.h"
#include <limits>
#pragma clang force_cuda_host_device begin
#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_PTX_WARP_THREADS 32
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CubDebugExit(e) (e)
#define CubDebug(e) (e)
namespace cub {
typedef std::plus<> Sum;
typedef std::minus<> Difference;
typedef std::equal_to<> Equality;
typedef std::not_equal_to<> Inequality;
struct Max { template <class T> constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <class Op> struct ReduceByKeyOp {};
template <class Key, class Value> struct KeyValuePair {
  Key key;
  Value value;
  KeyValuePair() = default;
  constexpr KeyValuePair(Key const &k, Value const &v) : key(k), value(v) {}
};
struct ArgMax { template <class K, class V> KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const; };
struct ArgMin { template <class K, class V> KeyValuePair<K, V> operator()(const KeyValuePair<K, V> &a, const KeyValuePair<K, V> &b) const; };
template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  DoubleBuffer();
  DoubleBuffer(T *d_current, T *d_alternate);
  T *Current() const;
  T *Alternate() const;
};
struct NullType {};
template <class T> struct Traits {
  typedef std::conditional_t<sizeof(T) == 8, unsigned long long, std::conditional_t<sizeof(T) == 4, unsigned int, std::conditional_t<sizeof(T) == 2, unsigned short, unsigned char>>> UnsignedBits;
  static UnsignedBits TwiddleIn(UnsignedBits key);
  static UnsignedBits TwiddleOut(UnsignedBits key);
};
template <int N> struct Int2Type { static constexpr int VALUE = N; };
template <class T> struct Uninitialized { T storage; T &Alias(); };
template <class T> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class D = ptrdiff_t> using ConstantInputIterator = thrust::constant_iterator<T>;
template <class T, class F, class It, class D = ptrdiff_t> class TransformInputIterator : public thrust::transform_iterator<F, It> {
public:
  TransformInputIterator(It it, F f);
};
template <class It, class D = ptrdiff_t, class T = void> class ArgIndexInputIterator { public: ArgIndexInputIterator(It it); };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier M, class T> T ThreadLoad(const T *ptr);
template <CacheStoreModifier M, class T> void ThreadStore(T *ptr, T val);
template <int N, class T, class Op> T ThreadReduce(T (&input)[N], Op op);
unsigned int LaneId();
unsigned int WarpId();
int RowMajorTid(int block_dim_x, int block_dim_y, int block_dim_z);
int SyncThreadsOr(int p);
template <int WarpThreads, class T> T ShuffleUp(T input, int src_offset, int first_thread, unsigned int member_mask);
template <int WarpThreads, class T> T ShuffleDown(T input, int src_offset, int last_thread, unsigned int member_mask);
template <int WarpThreads, class T> T ShuffleIndex(T input, int src_lane, unsigned int member_mask);
struct CachingDeviceAllocator {
  CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false);
  CachingDeviceAllocator(unsigned int bin_growth, unsigned int min_bin = 1, unsigned int max_bin = 0, size_t max_cached_bytes = 0, bool skip_cleanup = false, bool debug = false);
  template <class T> cudaError_t DeviceAllocate(T **d_ptr, size_t bytes, cudaStream_t active_stream = 0);
  cudaError_t DeviceAllocate(int device, void **d_ptr, size_t bytes, cudaStream_t active_stream = 0);
  cudaError_t DeviceFree(void *d_ptr);
};
template <class It, class T, int N> void LoadDirectBlocked(int linear_tid, It it, T (&items)[N]);
template <class It, class T, int N> void LoadDirectBlocked(int linear_tid, It it, T (&items)[N], int valid_items);
template <class It, class T, int N> void StoreDirectBlocked(int linear_tid, It it, T (&items)[N]);
template <int BlockThreads, class It, class T, int N> void LoadDirectStriped(int linear_tid, It it, T (&items)[N]);
template <int BlockThreads, class It, class T, int N> void LoadDirectStriped(int linear_tid, It it, T (&items)[N], int valid_items);
template <int BlockThreads, class It, class T, int N> void StoreDirectStriped(int linear_tid, It it, T (&items)[N]);
template <int BlockThreads, class It, class T, int N> void StoreDirectStriped(int linear_tid, It it, T (&items)[N], int valid_items);
template <class It, class T, int N> void LoadDirectWarpStriped(int linear_tid, It it, T (&items)[N]);
template <class It, class T, int N> void StoreDirectWarpStriped(int linear_tid, It it, T (&items)[N]);
}
#pragma clang force_cuda_host_device end
