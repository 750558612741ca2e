// cub: collectives of a warp.
#pragma once
#include "block.h"
#pragma clang force_cuda_host_device begin
namespace cub {
template <class T, int LogicalWarpThreads = 32, int Arch = 0> class WarpReduce {
public:
  struct TempStorage { T partial; };
  WarpReduce();
  WarpReduce(TempStorage &temp_storage);
  WarpReduce(TempStorage &temp_storage, int linear_tid);
  T Sum(T input);
  T Sum(T input, int num_valid);
  template <class Op> CUDALINT_OPAQUE T Reduce(T input, Op reduction_op);
  template <class Op> CUDALINT_OPAQUE T Reduce(T input, Op reduction_op, int valid_items);
  template <class Flag> T HeadSegmentedSum(T input, Flag head_flag);
  template <class Flag> T TailSegmentedSum(T input, Flag tail_flag);
  template <class Flag, class Op> CUDALINT_OPAQUE T HeadSegmentedReduce(T input, Flag head_flag, Op op);
};
template <class T, int LogicalWarpThreads = 32, int Arch = 0> class WarpScan {
public:
  struct TempStorage { T partial; };
  WarpScan();
  WarpScan(TempStorage &temp_storage);
  WarpScan(TempStorage &temp_storage, int linear_tid);
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
  void Sum(T input, T &inclusive_output, T &exclusive_output);
  template <class Op> CUDALINT_OPAQUE void Scan(T input, T &inclusive_output, T &exclusive_output, Op op);
  T Broadcast(T input, unsigned int src_lane);
};
template <class T, int ITEMS, int LogicalWarpThreads = 32, int Arch = 0, WarpExchangeAlgorithm Algorithm = WARP_EXCHANGE_SMEM> class WarpExchange {
public:
  struct TempStorage { T tile[LogicalWarpThreads * ITEMS]; };
  WarpExchange();
  WarpExchange(TempStorage &temp_storage);
  WarpExchange(TempStorage &temp_storage, int linear_tid);
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
template <class T, int ITEMS, WarpLoadAlgorithm Algorithm = WARP_LOAD_DIRECT, int LogicalWarpThreads = 32, int Arch = 0> class WarpLoad {
public:
  struct TempStorage { T tile[LogicalWarpThreads * ITEMS]; };
  WarpLoad();
  WarpLoad(TempStorage &temp_storage);
  WarpLoad(TempStorage &temp_storage, int linear_tid);
  template <class It> void Load(It it, T (&items)[ITEMS]);
  template <class It> void Load(It it, T (&items)[ITEMS], int valid_items);
  template <class It, class D> void Load(It it, T (&items)[ITEMS], int valid_items, D oob_default);
};
template <class T, int ITEMS, WarpStoreAlgorithm Algorithm = WARP_STORE_DIRECT, int LogicalWarpThreads = 32, int Arch = 0> class WarpStore {
public:
  struct TempStorage { T tile[LogicalWarpThreads * ITEMS]; };
  WarpStore();
  WarpStore(TempStorage &temp_storage);
  WarpStore(TempStorage &temp_storage, int linear_tid);
  template <class It> void Store(It it, T (&items)[ITEMS]);
  template <class It> void Store(It it, T (&items)[ITEMS], int valid_items);
};
template <class KeyT, int ITEMS, int LogicalWarpThreads = 32, class ValueT = NullType, int Arch = 0> class WarpMergeSort {
public:
  struct TempStorage { KeyT tile[LogicalWarpThreads * ITEMS]; };
  WarpMergeSort();
  WarpMergeSort(TempStorage &temp_storage);
  WarpMergeSort(TempStorage &temp_storage, int linear_tid);
  template <class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], Op op);
  template <class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], Op op, int valid_items, KeyT oob_default);
  template <class V, class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op);
  template <class V, class Op> CUDALINT_OPAQUE void Sort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op, int valid_items, KeyT oob_default);
  template <class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], Op op);
  template <class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], Op op, int valid_items, KeyT oob_default);
  template <class V, class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op);
  template <class V, class Op> CUDALINT_OPAQUE void StableSort(KeyT (&keys)[ITEMS], V (&values)[ITEMS], Op op, int valid_items, KeyT oob_default);
};
}
#pragma clang force_cuda_host_device end
