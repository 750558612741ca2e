// cub: collectives of a warp.
#pragma once
#include "block.h"
#pragma clang force_cuda_host_device begin
namespace cub {
template <class _T, int _LogicalWarpThreads = 32, int _Arch = 0> class WarpReduce {
public:
  struct TempStorage { _T partial; };
  WarpReduce();
  WarpReduce(TempStorage &temp_storage);
  WarpReduce(TempStorage &temp_storage, int linear_tid);
  _T Sum(_T input);
  _T Sum(_T input, int num_valid);
  template <class _Op> CUDALINT_OPAQUE _T Reduce(_T input, _Op reduction_op);
  template <class _Op> CUDALINT_OPAQUE _T Reduce(_T input, _Op reduction_op, int valid_items);
  template <class _Flag> _T HeadSegmentedSum(_T input, _Flag head_flag);
  template <class _Flag> _T TailSegmentedSum(_T input, _Flag tail_flag);
  template <class _Flag, class _Op> CUDALINT_OPAQUE _T HeadSegmentedReduce(_T input, _Flag head_flag, _Op op);
};
template <class _T, int _LogicalWarpThreads = 32, int _Arch = 0> class WarpScan {
public:
  struct TempStorage { _T partial; };
  WarpScan();
  WarpScan(TempStorage &temp_storage);
  WarpScan(TempStorage &temp_storage, int linear_tid);
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
  void Sum(_T input, _T &inclusive_output, _T &exclusive_output);
  template <class _Op> CUDALINT_OPAQUE void Scan(_T input, _T &inclusive_output, _T &exclusive_output, _Op op);
  _T Broadcast(_T input, unsigned int src_lane);
};
template <class _T, int _ITEMS, int _LogicalWarpThreads = 32, int _Arch = 0, WarpExchangeAlgorithm _Algorithm = WARP_EXCHANGE_SMEM> class WarpExchange {
public:
  struct TempStorage { _T tile[_LogicalWarpThreads * _ITEMS]; };
  WarpExchange();
  WarpExchange(TempStorage &temp_storage);
  WarpExchange(TempStorage &temp_storage, int linear_tid);
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
template <class _T, int _ITEMS, WarpLoadAlgorithm _Algorithm = WARP_LOAD_DIRECT, int _LogicalWarpThreads = 32, int _Arch = 0> class WarpLoad {
public:
  struct TempStorage { _T tile[_LogicalWarpThreads * _ITEMS]; };
  WarpLoad();
  WarpLoad(TempStorage &temp_storage);
  WarpLoad(TempStorage &temp_storage, int linear_tid);
  template <class _It> void Load(_It it, _T (&items)[_ITEMS]);
  template <class _It> void Load(_It it, _T (&items)[_ITEMS], int valid_items);
  template <class _It, class _D> void Load(_It it, _T (&items)[_ITEMS], int valid_items, _D oob_default);
};
template <class _T, int _ITEMS, WarpStoreAlgorithm _Algorithm = WARP_STORE_DIRECT, int _LogicalWarpThreads = 32, int _Arch = 0> class WarpStore {
public:
  struct TempStorage { _T tile[_LogicalWarpThreads * _ITEMS]; };
  WarpStore();
  WarpStore(TempStorage &temp_storage);
  WarpStore(TempStorage &temp_storage, int linear_tid);
  template <class _It> void Store(_It it, _T (&items)[_ITEMS]);
  template <class _It> void Store(_It it, _T (&items)[_ITEMS], int valid_items);
};
template <class _KeyT, int _ITEMS, int _LogicalWarpThreads = 32, class _ValueT = NullType, int _Arch = 0> class WarpMergeSort {
public:
  struct TempStorage { _KeyT tile[_LogicalWarpThreads * _ITEMS]; };
  WarpMergeSort();
  WarpMergeSort(TempStorage &temp_storage);
  WarpMergeSort(TempStorage &temp_storage, int linear_tid);
  template <class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _Op op);
  template <class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
  template <class _V, class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op);
  template <class _V, class _Op> CUDALINT_OPAQUE void Sort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
  template <class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _Op op);
  template <class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
  template <class _V, class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op);
  template <class _V, class _Op> CUDALINT_OPAQUE void StableSort(_KeyT (&keys)[_ITEMS], _V (&values)[_ITEMS], _Op op, int valid_items, _KeyT oob_default);
};
}
#pragma clang force_cuda_host_device end
