// cub: types, operators and iterators.
#pragma once
#include "../thrust/iterators.h"
#include <limits>
#pragma clang force_cuda_host_device begin
#define CUB_MIN(_a, _b) (((_a) > (_b)) ? (_b) : (_a))
#define CUB_MAX(_a, _b) (((_a) > (_b)) ? (_a) : (_b))
#define CUB_PTX_WARP_THREADS 32
#define CUB_QUOTIENT_CEILING(_x, _y) (((_x) + (_y) - 1) / (_y))
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CubDebugExit(_e) (_e)
#define CubDebug(_e) (_e)
namespace cub {
typedef std::plus<> Sum;
typedef std::minus<> Difference;
typedef std::equal_to<> Equality;
typedef std::not_equal_to<> Inequality;
struct Max { template <class _T> constexpr _T operator()(const _T &_a, const _T &_b) const { return _a < _b ? _b : _a; } };
struct Min { template <class _T> constexpr _T operator()(const _T &_a, const _T &_b) const { return _b < _a ? _b : _a; } };
template <class _Op> struct ReduceByKeyOp {};
template <class _Key, class _Value> struct KeyValuePair {
  _Key key;
  _Value value;
  KeyValuePair() = default;
  constexpr KeyValuePair(_Key const &_k, _Value const &_v) : key(_k), value(_v) {}
};
struct ArgMax { template <class _K, class _V> KeyValuePair<_K, _V> operator()(const KeyValuePair<_K, _V> &_a, const KeyValuePair<_K, _V> &_b) const; };
struct ArgMin { template <class _K, class _V> KeyValuePair<_K, _V> operator()(const KeyValuePair<_K, _V> &_a, const KeyValuePair<_K, _V> &_b) const; };
template <class _T> struct DoubleBuffer {
  _T *d_buffers[2];
  int selector;
  DoubleBuffer();
  DoubleBuffer(_T *d_current, _T *d_alternate);
  _T *Current() const;
  _T *Alternate() const;
};
struct NullType {};
template <class _T> struct Traits {
  typedef std::conditional_t<sizeof(_T) == 8, unsigned long long, std::conditional_t<sizeof(_T) == 4, unsigned int, std::conditional_t<sizeof(_T) == 2, unsigned short, unsigned char>>> UnsignedBits;
  static UnsignedBits TwiddleIn(UnsignedBits key);
  static UnsignedBits TwiddleOut(UnsignedBits key);
};
template <int _N> struct Int2Type { static constexpr int VALUE = _N; };
template <class _T> struct Uninitialized { _T storage; _T &Alias(); };
template <class _T> using CountingInputIterator = thrust::counting_iterator<_T>;
template <class _T, class _D = ptrdiff_t> using ConstantInputIterator = thrust::constant_iterator<_T>;
template <class _T, class _F, class _It, class _D = ptrdiff_t> class TransformInputIterator : public thrust::transform_iterator<_F, _It> {
public:
  TransformInputIterator(_It it, _F _f);
};
template <class _It, class _D = ptrdiff_t, class _T = void> class ArgIndexInputIterator { public: ArgIndexInputIterator(_It it); };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier _M, class _T> _T ThreadLoad(const _T *ptr);
template <CacheStoreModifier _M, class _T> void ThreadStore(_T *ptr, _T val);
template <int _N, class _T, class _Op> _T ThreadReduce(_T (&input)[_N], _Op op);
unsigned int LaneId();
unsigned int WarpId();
int RowMajorTid(int block_dim_x, int block_dim_y, int block_dim_z);
int SyncThreadsOr(int _p);
template <int _WarpThreads, class _T> _T ShuffleUp(_T input, int src_offset, int first_thread, unsigned int member_mask);
template <int _WarpThreads, class _T> _T ShuffleDown(_T input, int src_offset, int last_thread, unsigned int member_mask);
template <int _WarpThreads, class _T> _T ShuffleIndex(_T input, int src_lane, unsigned int member_mask);
struct CachingDeviceAllocator {
  CachingDeviceAllocator(bool skip_cleanup = false, bool debug = false);
  CachingDeviceAllocator(unsigned int bin_growth, unsigned int min_bin = 1, unsigned int max_bin = 0, size_t max_cached_bytes = 0, bool skip_cleanup = false, bool debug = false);
  template <class _T> cudaError_t DeviceAllocate(_T **d_ptr, size_t bytes, cudaStream_t active_stream = 0);
  cudaError_t DeviceAllocate(int device, void **d_ptr, size_t bytes, cudaStream_t active_stream = 0);
  cudaError_t DeviceFree(void *d_ptr);
};
template <class _It, class _T, int _N> void LoadDirectBlocked(int linear_tid, _It it, _T (&items)[_N]);
template <class _It, class _T, int _N> void LoadDirectBlocked(int linear_tid, _It it, _T (&items)[_N], int valid_items);
template <class _It, class _T, int _N> void StoreDirectBlocked(int linear_tid, _It it, _T (&items)[_N]);
template <int _BlockThreads, class _It, class _T, int _N> void LoadDirectStriped(int linear_tid, _It it, _T (&items)[_N]);
template <int _BlockThreads, class _It, class _T, int _N> void LoadDirectStriped(int linear_tid, _It it, _T (&items)[_N], int valid_items);
template <int _BlockThreads, class _It, class _T, int _N> void StoreDirectStriped(int linear_tid, _It it, _T (&items)[_N]);
template <int _BlockThreads, class _It, class _T, int _N> void StoreDirectStriped(int linear_tid, _It it, _T (&items)[_N], int valid_items);
template <class _It, class _T, int _N> void LoadDirectWarpStriped(int linear_tid, _It it, _T (&items)[_N]);
template <class _It, class _T, int _N> void StoreDirectWarpStriped(int linear_tid, _It it, _T (&items)[_N]);
}
#pragma clang force_cuda_host_device end
