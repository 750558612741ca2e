// cub: device-wide algorithms. Each is called twice: for the size of its temporary storage, then to run.
#pragma once
#include "util.h"
#pragma clang force_cuda_host_device begin
namespace cub {
struct DeviceReduce {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Reduce(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Sum(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Min(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Max(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ReduceByKey(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t TransformReduce(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceScan {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ExclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ExclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t InclusiveSum(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t InclusiveScan(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t InclusiveScanInit(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ExclusiveSumByKey(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ExclusiveScanByKey(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t InclusiveSumByKey(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t InclusiveScanByKey(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceSelect {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t If(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t FlaggedIf(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Unique(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t UniqueByKey(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DevicePartition {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Flagged(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t If(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceRadixSort {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairsDescending(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceMergeSort {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairsCopy(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeysCopy(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t StableSortPairs(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t StableSortKeys(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceHistogram {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t HistogramEven(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t HistogramRange(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t MultiHistogramEven(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t MultiHistogramRange(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceRunLengthEncode {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Encode(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t NonTrivialRuns(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceSegmentedReduce {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Reduce(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Sum(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Min(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Max(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ArgMin(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ArgMax(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceSegmentedRadixSort {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairsDescending(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceSegmentedSort {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairs(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortPairsDescending(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeys(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SortKeysDescending(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t StableSortPairs(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t StableSortKeys(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceMemcpy {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Batched(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceCopy {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Batched(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceAdjacentDifference {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SubtractLeft(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SubtractLeftCopy(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SubtractRight(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t SubtractRightCopy(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceSpmv {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t CsrMV(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
struct DeviceFor {
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t Bulk(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ForEach(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ForEachN(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
  template <class... _Args> CUDALINT_OPAQUE static cudaError_t ForEachCopy(void *d_temp_storage, size_t &temp_storage_bytes, _Args &&...args);
};
}
#pragma clang force_cuda_host_device end
