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
template <class T, int BlockDimX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockReduce {
public:
  struct TempStorage { T partials[BlockDimX * BlockDimY * BlockDimZ / 32 + 1]; };
  BlockReduce();
  BlockReduce(TempStorage &temp_storage);
  BlockReduce(TempStorage &temp_storage, int linear_tid);
  T Sum(T input);
  T Sum(T input, int num_valid);
  template <int N> T Sum(T (&inputs)[N]);
  template <class Op> CUDALINT_OPAQUE T Reduce(T input, Op reduction_op);
  template <class Op> CUDALINT_OPAQUE T Reduce(T input, Op reduction_op, int num_valid);
  template <int N, class Op> CUDALINT_OPAQUE T Reduce(T (&inputs)[N], Op reduction_op);
};
template <class T, int BlockDimX, BlockScanAlgorithm Algorithm = BLOCK_SCAN_RAKING, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockScan {
public:
  struct TempStorage { T partials[BlockDimX * BlockDimY * BlockDimZ + 32]; };
  BlockScan();
  BlockScan(TempStorage &temp_storage);
  BlockScan(TempStorage &temp_storage, int linear_tid);
  void ExclusiveSum(T input, T &output);
  void ExclusiveSum(T input, T &output, T &aggregate);
  template <class Prefix> CUDALINT_OPAQUE void ExclusiveSum(T input, T &output, T &aggregate, Prefix &prefix);
  template <int N> void ExclusiveSum(T (&input)[N], T (&output)[N]);
  template <int N> void ExclusiveSum(T (&input)[N], T (&output)[N], T &aggregate);
  template <class Op> CUDALINT_OPAQUE void ExclusiveScan(T input, T &output, Op op);
  template <class Op> CUDALINT_OPAQUE void ExclusiveScan(T input, T &output, Op op, T &aggregate);
  template <class Op> CUDALINT_OPAQUE void ExclusiveScan(T input, T &output, T initial_value, Op op);
  template <class Op> CUDALINT_OPAQUE void ExclusiveScan(T input, T &output, T initial_value, Op op, T &aggregate);
  template <class Op, class Prefix> CUDALINT_OPAQUE void ExclusiveScan(T input, T &output, Op op, T &aggregate, Prefix &prefix);
  template <int N, class Op> CUDALINT_OPAQUE void ExclusiveScan(T (&input)[N], T (&output)[N], Op op);
  template <int N, class Op> CUDALINT_OPAQUE void ExclusiveScan(T (&input)[N], T (&output)[N], Op op, T &aggregate);
  template <int N, class Op> CUDALINT_OPAQUE void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value, Op op);
  template <int N, class Op> CUDALINT_OPAQUE void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value, Op op, T &aggregate);
  template <int N, class Op, class Prefix> CUDALINT_OPAQUE void ExclusiveScan(T (&input)[N], T (&output)[N], Op op, Prefix &prefix);
  void InclusiveSum(T input, T &output);
  void InclusiveSum(T input, T &output, T &aggregate);
  template <class Prefix> CUDALINT_OPAQUE void InclusiveSum(T input, T &output, T &aggregate, Prefix &prefix);
  template <int N> void InclusiveSum(T (&input)[N], T (&output)[N]);
  template <int N> void InclusiveSum(T (&input)[N], T (&output)[N], T &aggregate);
  template <class Op> CUDALINT_OPAQUE void InclusiveScan(T input, T &output, Op op);
  template <class Op> CUDALINT_OPAQUE void InclusiveScan(T input, T &output, Op op, T &aggregate);
  template <class Op> CUDALINT_OPAQUE void InclusiveScan(T input, T &output, T initial_value, Op op);
  template <class Op> CUDALINT_OPAQUE void InclusiveScan(T input, T &output, T initial_value, Op op, T &aggregate);
  template <class Op, class Prefix> CUDALINT_OPAQUE void InclusiveScan(T input, T &output, Op op, T &aggregate, Prefix &prefix);
  template <int N, class Op> CUDALINT_OPAQUE void InclusiveScan(T (&input)[N], T (&output)[N], Op op);
  template <int N, class Op> CUDALINT_OPAQUE void InclusiveScan(T (&input)[N], T (&output)[N], Op op, T &aggregate);
  template <int N, class Op> CUDALINT_OPAQUE void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value, Op op);
  template <int N, class Op> CUDALINT_OPAQUE void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value, Op op, T &aggregate);
  template <int N, class Op, class Prefix> CUDALINT_OPAQUE void InclusiveScan(T (&input)[N], T (&output)[N], Op op, Prefix &prefix);
};
template <class T, int BlockDimX, int ITEMS, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockLoad {
public:
  struct TempStorage { T tile[BlockDimX * ITEMS]; };
  BlockLoad();
  BlockLoad(TempStorage &temp_storage);
  BlockLoad(TempStorage &temp_storage, int linear_tid);
  template <class It> void Load(It it, T (&items)[ITEMS]);
  template <class It> void Load(It it, T (&items)[ITEMS], int valid_items);
  template <class It, class D> void Load(It it, T (&items)[ITEMS], int valid_items, D oob_default);
};
template <class T, int BlockDimX, int ITEMS, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockStore {
public:
  struct TempStorage { T tile[BlockDimX * ITEMS]; };
  BlockStore();
  BlockStore(TempStorage &temp_storage);
  BlockStore(TempStorage &temp_storage, int linear_tid);
  template <class It> void Store(It it, T (&items)[ITEMS]);
  template <class It> void Store(It it, T (&items)[ITEMS], int valid_items);
};
template <class T, int BlockDimX, int ITEMS, bool TimeSlicing = false, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockExchange {
public:
  struct TempStorage { T tile[BlockDimX * ITEMS]; };
  BlockExchange();
  BlockExchange(TempStorage &temp_storage);
  BlockExchange(TempStorage &temp_storage, int linear_tid);
  template <class Out = T> void StripedToBlocked(const T (&input)[ITEMS], Out (&output)[ITEMS]);
  template <class Out = T> void BlockedToStriped(const T (&input)[ITEMS], Out (&output)[ITEMS]);
  template <class Out = T> void WarpStripedToBlocked(const T (&input)[ITEMS], Out (&output)[ITEMS]);
  template <class Out = T> void BlockedToWarpStriped(const T (&input)[ITEMS], Out (&output)[ITEMS]);
  void StripedToBlocked(T (&items)[ITEMS]);
  void BlockedToStriped(T (&items)[ITEMS]);
  void WarpStripedToBlocked(T (&items)[ITEMS]);
  void BlockedToWarpStriped(T (&items)[ITEMS]);
  template <class Offset> void ScatterToBlocked(T (&items)[ITEMS], Offset (&ranks)[ITEMS]);
  template <class Offset> void ScatterToStriped(T (&items)[ITEMS], Offset (&ranks)[ITEMS]);
  template <class Out, class Offset> void ScatterToBlocked(const T (&input)[ITEMS], Out (&output)[ITEMS], Offset (&ranks)[ITEMS]);
  template <class Out, class Offset> void ScatterToStriped(const T (&input)[ITEMS], Out (&output)[ITEMS], Offset (&ranks)[ITEMS]);
};
template <class KeyT, int BlockDimX, int ITEMS, class ValueT = NullType, int RadixBits = 4, bool Memoize = true, BlockScanAlgorithm Inner = BLOCK_SCAN_WARP_SCANS, int Config = 0, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockRadixSort {
public:
  struct TempStorage { KeyT tile[BlockDimX * ITEMS]; };
  BlockRadixSort();
  BlockRadixSort(TempStorage &temp_storage);
  BlockRadixSort(TempStorage &temp_storage, int linear_tid);
  void Sort(KeyT (&keys)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  template <class V> void Sort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  void SortDescending(KeyT (&keys)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  template <class V> void SortDescending(KeyT (&keys)[ITEMS], V (&values)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  void SortBlockedToStriped(KeyT (&keys)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  template <class V> void SortBlockedToStriped(KeyT (&keys)[ITEMS], V (&values)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  void SortDescendingBlockedToStriped(KeyT (&keys)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
  template <class V> void SortDescendingBlockedToStriped(KeyT (&keys)[ITEMS], V (&values)[ITEMS], int begin_bit = 0, int end_bit = sizeof(KeyT) * 8);
};
template <class KeyT, int BlockDimX, int ITEMS, class ValueT = NullType, int BlockDimY = 1, int BlockDimZ = 1> class BlockMergeSort {
public:
  struct TempStorage { KeyT tile[BlockDimX * ITEMS + 1]; };
  BlockMergeSort();
  BlockMergeSort(TempStorage &temp_storage);
  BlockMergeSort(TempStorage &temp_storage, int linear_tid);
  template <class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], Op op);
  template <class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], Op op, int valid_items, KeyT oob_default);
  template <class V, class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op);
  template <class V, class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op, int valid_items, KeyT oob_default);
  template <class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], Op op);
  template <class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], Op op, int valid_items, KeyT oob_default);
  template <class V, class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op);
  template <class V, class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op, int valid_items, KeyT oob_default);
};
template <class T, int BlockDimX, int ITEMS, int Bins, BlockHistogramAlgorithm Algorithm = BLOCK_HISTO_SORT, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockHistogram {
public:
  struct TempStorage { T tile[BlockDimX * ITEMS]; };
  BlockHistogram();
  BlockHistogram(TempStorage &temp_storage);
  BlockHistogram(TempStorage &temp_storage, int linear_tid);
  template <class C> void InitHistogram(C (&histogram)[Bins]);
  template <class C> void Histogram(T (&items)[ITEMS], C (&histogram)[Bins]);
  template <class C> void Composite(T (&items)[ITEMS], C (&histogram)[Bins]);
};
template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockDiscontinuity {
public:
  struct TempStorage { T first_items[BlockDimX]; };
  BlockDiscontinuity();
  BlockDiscontinuity(TempStorage &temp_storage);
  BlockDiscontinuity(TempStorage &temp_storage, int linear_tid);
  template <int N, class F, class Op> CUDALINT_OPAQUE void FlagHeads(F (&flags)[N], T (&input)[N], Op op);
  template <int N, class F, class Op> CUDALINT_OPAQUE void FlagHeads(F (&flags)[N], T (&input)[N], Op op, T neighbour);
  template <int N, class F, class Op> CUDALINT_OPAQUE void FlagTails(F (&flags)[N], T (&input)[N], Op op);
  template <int N, class F, class Op> CUDALINT_OPAQUE void FlagTails(F (&flags)[N], T (&input)[N], Op op, T neighbour);
};
template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1> class BlockAdjacentDifference {
public:
  struct TempStorage { T first_items[BlockDimX]; };
  BlockAdjacentDifference();
  BlockAdjacentDifference(TempStorage &temp_storage);
  BlockAdjacentDifference(TempStorage &temp_storage, int linear_tid);
  template <int N, class Out, class Op> CUDALINT_OPAQUE void SubtractLeft(T (&input)[N], Out (&output)[N], Op op);
  template <int N, class Out, class Op> CUDALINT_OPAQUE void SubtractLeft(T (&input)[N], Out (&output)[N], Op op, T neighbour);
  template <int N, class Out, class Op> CUDALINT_OPAQUE void SubtractLeftPartialTile(T (&input)[N], Out (&output)[N], Op op, int valid_items);
  template <int N, class Out, class Op> CUDALINT_OPAQUE void SubtractRight(T (&input)[N], Out (&output)[N], Op op);
  template <int N, class Out, class Op> CUDALINT_OPAQUE void SubtractRight(T (&input)[N], Out (&output)[N], Op op, T neighbour);
  template <int N, class Out, class Op> CUDALINT_OPAQUE void SubtractRightPartialTile(T (&input)[N], Out (&output)[N], Op op, int valid_items);
};
template <class T, int BlockDimX, int BlockDimY = 1, int BlockDimZ = 1, int Arch = 0> class BlockShuffle {
public:
  struct TempStorage { T items[BlockDimX]; };
  BlockShuffle();
  BlockShuffle(TempStorage &temp_storage);
  BlockShuffle(TempStorage &temp_storage, int linear_tid);
  void Offset(T input, T &output, int distance = 1);
  void Rotate(T input, T &output, unsigned int distance = 1);
  template <int N> void Up(T (&input)[N], T (&prev)[N]);
  template <int N> void Down(T (&input)[N], T (&next)[N]);
};
}
#pragma clang force_cuda_host_device end
