// cub: collectives of a block.
#pragma once
#include "util.h"
#pragma clang force_cuda_host_device begin
namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };
enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class _T, int _BlockDimX, BlockReduceAlgorithm _Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockReduce {
public:
  struct TempStorage { _T partials[_BlockDimX * _BlockDimY * _BlockDimZ / 32 + 1]; };
  BlockReduce();
  BlockReduce(TempStorage &temp_storage);
  BlockReduce(TempStorage &temp_storage, int linear_tid);
  _T Sum(_T input);
  _T Sum(_T input, int num_valid);
  template <int _N> _T Sum(_T (&inputs)[_N]);
  template <class _Op> CUDALINT_OPAQUE _T Reduce(_T input, _Op reduction_op);
  template <class _Op> CUDALINT_OPAQUE _T Reduce(_T input, _Op reduction_op, int num_valid);
  template <int _N, class _Op> CUDALINT_OPAQUE _T Reduce(_T (&inputs)[_N], _Op reduction_op);
};
template <class _T, int _BlockDimX, BlockScanAlgorithm _Algorithm = BLOCK_SCAN_RAKING, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockScan {
public:
  struct TempStorage { _T partials[_BlockDimX * _BlockDimY * _BlockDimZ + 32]; };
  BlockScan();
  BlockScan(TempStorage &temp_storage);
  BlockScan(TempStorage &temp_storage, int linear_tid);
  void ExclusiveSum(_T input, _T &output);
  void ExclusiveSum(_T input, _T &output, _T &aggregate);
  template <class _Prefix> CUDALINT_OPAQUE void ExclusiveSum(_T input, _T &output, _T &aggregate, _Prefix &prefix);
  template <int _N> void ExclusiveSum(_T (&input)[_N], _T (&output)[_N]);
  template <int _N> void ExclusiveSum(_T (&input)[_N], _T (&output)[_N], _T &aggregate);
  template <class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T input, _T &output, _Op op);
  template <class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T input, _T &output, _Op op, _T &aggregate);
  template <class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T input, _T &output, _T initial_value, _Op op);
  template <class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T input, _T &output, _T initial_value, _Op op, _T &aggregate);
  template <class _Op, class _Prefix> CUDALINT_OPAQUE void ExclusiveScan(_T input, _T &output, _Op op, _T &aggregate, _Prefix &prefix);
  template <int _N, class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T (&input)[_N], _T (&output)[_N], _Op op);
  template <int _N, class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T (&input)[_N], _T (&output)[_N], _Op op, _T &aggregate);
  template <int _N, class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T (&input)[_N], _T (&output)[_N], _T initial_value, _Op op);
  template <int _N, class _Op> CUDALINT_OPAQUE void ExclusiveScan(_T (&input)[_N], _T (&output)[_N], _T initial_value, _Op op, _T &aggregate);
  template <int _N, class _Op, class _Prefix> CUDALINT_OPAQUE void ExclusiveScan(_T (&input)[_N], _T (&output)[_N], _Op op, _Prefix &prefix);
  void InclusiveSum(_T input, _T &output);
  void InclusiveSum(_T input, _T &output, _T &aggregate);
  template <class _Prefix> CUDALINT_OPAQUE void InclusiveSum(_T input, _T &output, _T &aggregate, _Prefix &prefix);
  template <int _N> void InclusiveSum(_T (&input)[_N], _T (&output)[_N]);
  template <int _N> void InclusiveSum(_T (&input)[_N], _T (&output)[_N], _T &aggregate);
  template <class _Op> CUDALINT_OPAQUE void InclusiveScan(_T input, _T &output, _Op op);
  template <class _Op> CUDALINT_OPAQUE void InclusiveScan(_T input, _T &output, _Op op, _T &aggregate);
  template <class _Op> CUDALINT_OPAQUE void InclusiveScan(_T input, _T &output, _T initial_value, _Op op);
  template <class _Op> CUDALINT_OPAQUE void InclusiveScan(_T input, _T &output, _T initial_value, _Op op, _T &aggregate);
  template <class _Op, class _Prefix> CUDALINT_OPAQUE void InclusiveScan(_T input, _T &output, _Op op, _T &aggregate, _Prefix &prefix);
  template <int _N, class _Op> CUDALINT_OPAQUE void InclusiveScan(_T (&input)[_N], _T (&output)[_N], _Op op);
  template <int _N, class _Op> CUDALINT_OPAQUE void InclusiveScan(_T (&input)[_N], _T (&output)[_N], _Op op, _T &aggregate);
  template <int _N, class _Op> CUDALINT_OPAQUE void InclusiveScan(_T (&input)[_N], _T (&output)[_N], _T initial_value, _Op op);
  template <int _N, class _Op> CUDALINT_OPAQUE void InclusiveScan(_T (&input)[_N], _T (&output)[_N], _T initial_value, _Op op, _T &aggregate);
  template <int _N, class _Op, class _Prefix> CUDALINT_OPAQUE void InclusiveScan(_T (&input)[_N], _T (&output)[_N], _Op op, _Prefix &prefix);
};
template <class _T, int _BlockDimX, int _ITEMS, BlockLoadAlgorithm _Algorithm = BLOCK_LOAD_DIRECT, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockLoad {
public:
  struct TempStorage { _T tile[_BlockDimX * _ITEMS]; };
  BlockLoad();
  BlockLoad(TempStorage &temp_storage);
  BlockLoad(TempStorage &temp_storage, int linear_tid);
  template <class _It> void Load(_It it, _T (&items)[_ITEMS]);
  template <class _It> void Load(_It it, _T (&items)[_ITEMS], int valid_items);
  template <class _It, class _D> void Load(_It it, _T (&items)[_ITEMS], int valid_items, _D oob_default);
};
template <class _T, int _BlockDimX, int _ITEMS, BlockStoreAlgorithm _Algorithm = BLOCK_STORE_DIRECT, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockStore {
public:
  struct TempStorage { _T tile[_BlockDimX * _ITEMS]; };
  BlockStore();
  BlockStore(TempStorage &temp_storage);
  BlockStore(TempStorage &temp_storage, int linear_tid);
  template <class _It> void Store(_It it, _T (&items)[_ITEMS]);
  template <class _It> void Store(_It it, _T (&items)[_ITEMS], int valid_items);
};
template <class _T, int _BlockDimX, int _ITEMS, bool _TimeSlicing = false, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockExchange {
public:
  struct TempStorage { _T tile[_BlockDimX * _ITEMS]; };
  BlockExchange();
  BlockExchange(TempStorage &temp_storage);
  BlockExchange(TempStorage &temp_storage, int linear_tid);
  template <class _Out = _T> void StripedToBlocked(const _T (&input)[_ITEMS], _Out (&output)[_ITEMS]);
  template <class _Out = _T> void BlockedToStriped(const _T (&input)[_ITEMS], _Out (&output)[_ITEMS]);
  template <class _Out = _T> void WarpStripedToBlocked(const _T (&input)[_ITEMS], _Out (&output)[_ITEMS]);
  template <class _Out = _T> void BlockedToWarpStriped(const _T (&input)[_ITEMS], _Out (&output)[_ITEMS]);
  void StripedToBlocked(_T (&items)[_ITEMS]);
  void BlockedToStriped(_T (&items)[_ITEMS]);
  void WarpStripedToBlocked(_T (&items)[_ITEMS]);
  void BlockedToWarpStriped(_T (&items)[_ITEMS]);
  template <class _Offset> void ScatterToBlocked(_T (&items)[_ITEMS], _Offset (&ranks)[_ITEMS]);
  template <class _Offset> void ScatterToStriped(_T (&items)[_ITEMS], _Offset (&ranks)[_ITEMS]);
  template <class _Out, class _Offset> void ScatterToBlocked(const _T (&input)[_ITEMS], _Out (&output)[_ITEMS], _Offset (&ranks)[_ITEMS]);
  template <class _Out, class _Offset> void ScatterToStriped(const _T (&input)[_ITEMS], _Out (&output)[_ITEMS], _Offset (&ranks)[_ITEMS]);
};
template <class _KeyT, int _BlockDimX, int _ITEMS, class _ValueT = NullType, int _RadixBits = 4, bool _Memoize = true, BlockScanAlgorithm _Inner = BLOCK_SCAN_WARP_SCANS, int _Config = 0, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockRadixSort {
public:
  struct TempStorage { _KeyT tile[_BlockDimX * _ITEMS]; };
  BlockRadixSort();
  BlockRadixSort(TempStorage &temp_storage);
  BlockRadixSort(TempStorage &temp_storage, int linear_tid);
  void Sort(_KeyT (&keys)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  template <class _V> void Sort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  void SortDescending(_KeyT (&keys)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  template <class _V> void SortDescending(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  void SortBlockedToStriped(_KeyT (&keys)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  template <class _V> void SortBlockedToStriped(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  void SortDescendingBlockedToStriped(_KeyT (&keys)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
  template <class _V> void SortDescendingBlockedToStriped(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], int begin_bit = 0, int end_bit = sizeof(_KeyT) * 8);
};
template <class _KeyT, int _BlockDimX, int _ITEMS, class _ValueT = NullType, int _BlockDimY = 1, int _BlockDimZ = 1> class BlockMergeSort {
public:
  struct TempStorage { _KeyT tile[_BlockDimX * _ITEMS + 1]; };
  BlockMergeSort();
  BlockMergeSort(TempStorage &temp_storage);
  BlockMergeSort(TempStorage &temp_storage, int linear_tid);
  template <class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _Op op);
  template <class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
  template <class _V, class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op);
  template <class _V, class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
  template <class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _Op op);
  template <class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
  template <class _V, class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op);
  template <class _V, class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
};
template <class _T, int _BlockDimX, int _ITEMS, int _Bins, BlockHistogramAlgorithm _Algorithm = BLOCK_HISTO_SORT, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockHistogram {
public:
  struct TempStorage { _T tile[_BlockDimX * _ITEMS]; };
  BlockHistogram();
  BlockHistogram(TempStorage &temp_storage);
  BlockHistogram(TempStorage &temp_storage, int linear_tid);
  template <class _C> void InitHistogram(_C (&histogram)[_Bins]);
  template <class _C> void Histogram(_T (&items)[_ITEMS], _C (&histogram)[_Bins]);
  template <class _C> void Composite(_T (&items)[_ITEMS], _C (&histogram)[_Bins]);
};
template <class _T, int _BlockDimX, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockDiscontinuity {
public:
  struct TempStorage { _T first_items[_BlockDimX]; };
  BlockDiscontinuity();
  BlockDiscontinuity(TempStorage &temp_storage);
  BlockDiscontinuity(TempStorage &temp_storage, int linear_tid);
  template <int _N, class _F, class _Op> CUDALINT_OPAQUE void FlagHeads(_F (&flags)[_N], _T (&input)[_N], _Op op);
  template <int _N, class _F, class _Op> CUDALINT_OPAQUE void FlagHeads(_F (&flags)[_N], _T (&input)[_N], _Op op, _T neighbour);
  template <int _N, class _F, class _Op> CUDALINT_OPAQUE void FlagTails(_F (&flags)[_N], _T (&input)[_N], _Op op);
  template <int _N, class _F, class _Op> CUDALINT_OPAQUE void FlagTails(_F (&flags)[_N], _T (&input)[_N], _Op op, _T neighbour);
};
template <class _T, int _BlockDimX, int _BlockDimY = 1, int _BlockDimZ = 1> class BlockAdjacentDifference {
public:
  struct TempStorage { _T first_items[_BlockDimX]; };
  BlockAdjacentDifference();
  BlockAdjacentDifference(TempStorage &temp_storage);
  BlockAdjacentDifference(TempStorage &temp_storage, int linear_tid);
  template <int _N, class _Out, class _Op> CUDALINT_OPAQUE void SubtractLeft(_T (&input)[_N], _Out (&output)[_N], _Op op);
  template <int _N, class _Out, class _Op> CUDALINT_OPAQUE void SubtractLeft(_T (&input)[_N], _Out (&output)[_N], _Op op, _T neighbour);
  template <int _N, class _Out, class _Op> CUDALINT_OPAQUE void SubtractLeftPartialTile(_T (&input)[_N], _Out (&output)[_N], _Op op, int valid_items);
  template <int _N, class _Out, class _Op> CUDALINT_OPAQUE void SubtractRight(_T (&input)[_N], _Out (&output)[_N], _Op op);
  template <int _N, class _Out, class _Op> CUDALINT_OPAQUE void SubtractRight(_T (&input)[_N], _Out (&output)[_N], _Op op, _T neighbour);
  template <int _N, class _Out, class _Op> CUDALINT_OPAQUE void SubtractRightPartialTile(_T (&input)[_N], _Out (&output)[_N], _Op op, int valid_items);
};
template <class _T, int _BlockDimX, int _BlockDimY = 1, int _BlockDimZ = 1, int _Arch = 0> class BlockShuffle {
public:
  struct TempStorage { _T items[_BlockDimX]; };
  BlockShuffle();
  BlockShuffle(TempStorage &temp_storage);
  BlockShuffle(TempStorage &temp_storage, int linear_tid);
  void _Offset(_T input, _T &output, int distance = 1);
  void Rotate(_T input, _T &output, unsigned int distance = 1);
  template <int _N> void Up(_T (&input)[_N], _T (&prev)[_N]);
  template <int _N> void Down(_T (&input)[_N], _T (&next)[_N]);
};
}
#pragma clang force_cuda_host_device end
