// Warp shuffles, votes, matches and reductions, in today's _sync form and the removed legacy form; barriers and fences.
#pragma once

int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned int mask = 0xffffffff);
void __cluster_barrier_arrive();
void __cluster_barrier_arrive_relaxed();
void __cluster_barrier_wait();
void *__cluster_map_shared_rank(const void *ptr, unsigned int target_block_rank);
unsigned int __cluster_query_shared_rank(const void *ptr);
unsigned int __clusterDimIsSpecified();
dim3 __clusterDim();
dim3 __clusterRelativeBlockIdx();
dim3 __clusterGridDimInClusters();
dim3 __clusterIdx();
unsigned int __clusterRelativeBlockRank();
unsigned int __clusterSizeInBlocks();
void __threadfence_cluster();
void __barrier_sync(unsigned int id);
void __barrier_sync_count(unsigned int id, unsigned int count);
void __threadfence();
void __threadfence_block();
void __threadfence_system();
unsigned int __activemask();

int __all_sync(unsigned int mask, int predicate);
int __any_sync(unsigned int mask, int predicate);
int __uni_sync(unsigned int mask, int predicate);
unsigned int __ballot_sync(unsigned int mask, int predicate);
int __all(int predicate);
int __any(int predicate);
unsigned int __ballot(int predicate);

#define CUDALINT_SHFL(T) \
  T __shfl_sync(unsigned int mask, T var, int srcLane, int width = 32); \
  T __shfl_up_sync(unsigned int mask, T var, unsigned int delta, int width = 32); \
  T __shfl_down_sync(unsigned int mask, T var, unsigned int delta, int width = 32); \
  T __shfl_xor_sync(unsigned int mask, T var, int laneMask, int width = 32); \
  T __shfl(T var, int srcLane, int width = 32); \
  T __shfl_up(T var, unsigned int delta, int width = 32); \
  T __shfl_down(T var, unsigned int delta, int width = 32); \
  T __shfl_xor(T var, int laneMask, int width = 32);
CUDALINT_SHFL(int) CUDALINT_SHFL(unsigned int) CUDALINT_SHFL(long) CUDALINT_SHFL(unsigned long)
CUDALINT_SHFL(long long) CUDALINT_SHFL(unsigned long long) CUDALINT_SHFL(float) CUDALINT_SHFL(double)
#undef CUDALINT_SHFL

#define CUDALINT_MATCH(T) \
  unsigned int __match_any_sync(unsigned int mask, T value); \
  unsigned int __match_all_sync(unsigned int mask, T value, int *pred);
CUDALINT_MATCH(int) CUDALINT_MATCH(unsigned int) CUDALINT_MATCH(long) CUDALINT_MATCH(unsigned long)
CUDALINT_MATCH(long long) CUDALINT_MATCH(unsigned long long) CUDALINT_MATCH(float) CUDALINT_MATCH(double)
#undef CUDALINT_MATCH

unsigned int __reduce_add_sync(unsigned int mask, unsigned int value);
int __reduce_add_sync(unsigned int mask, int value);
unsigned int __reduce_min_sync(unsigned int mask, unsigned int value);
int __reduce_min_sync(unsigned int mask, int value);
unsigned int __reduce_max_sync(unsigned int mask, unsigned int value);
int __reduce_max_sync(unsigned int mask, int value);
unsigned int __reduce_and_sync(unsigned int mask, unsigned int value);
unsigned int __reduce_or_sync(unsigned int mask, unsigned int value);
unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value);
