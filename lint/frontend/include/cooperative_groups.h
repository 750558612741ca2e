// Cooperative groups: thread_block, tiles, coalesced threads, grid and cluster.
#pragma once
#include <cudalint_prelude.h>
#pragma clang force_cuda_host_device begin
namespace cooperative_groups {
class thread_group {
public:
  void sync() const;
  unsigned long long size() const;
  unsigned long long num_threads() const;
  unsigned long long thread_rank() const;
  bool is_valid() const;
};

class thread_block : public thread_group {
public:
  static constexpr unsigned int _group_id = 1;
  struct arrival_token {};
  static void sync();
  static arrival_token barrier_arrive();
  static void barrier_wait(arrival_token &&token);
  static unsigned int size();
  static unsigned int num_threads();
  static unsigned int thread_rank();
  static dim3 group_index();
  static dim3 thread_index();
  static dim3 group_dim();
  static dim3 dim_threads();
};

class grid_group : public thread_group {
public:
  struct arrival_token {};
  void sync() const;
  arrival_token barrier_arrive() const;
  void barrier_wait(arrival_token &&token) const;
  bool is_valid() const;
  static unsigned long long size();
  static unsigned long long num_threads();
  static unsigned long long thread_rank();
  static unsigned long long num_blocks();
  static unsigned long long block_rank();
  static dim3 block_index();
  static dim3 group_dim();
  static dim3 dim_blocks();
  static unsigned long long num_clusters();
  static unsigned long long cluster_rank();
  static dim3 cluster_index();
  static dim3 dim_clusters();
};

class multi_grid_group : public thread_group {
public:
  void sync() const;
  bool is_valid() const;
  unsigned int grid_rank() const;
  unsigned int num_grids() const;
};

class cluster_group : public thread_group {
public:
  struct arrival_token {};
  static void sync();
  static arrival_token barrier_arrive();
  static void barrier_wait();
  static void barrier_wait(arrival_token &&token);
  static unsigned int query_shared_rank(const void *addr);
  template <class T> static T *map_shared_rank(T *addr, int rank);
  static dim3 block_index();
  static unsigned int block_rank();
  static dim3 dim_blocks();
  static unsigned int num_blocks();
  static dim3 thread_index();
  static unsigned int thread_rank();
  static dim3 dim_threads();
  static unsigned int num_threads();
  static unsigned int size();
};

class coalesced_group : public thread_group {
public:
  void sync() const;
  unsigned int size() const;
  unsigned int num_threads() const;
  unsigned int thread_rank() const;
  unsigned int meta_group_size() const;
  unsigned int meta_group_rank() const;
  template <class T> T shfl(T elem, int srcRank) const;
  template <class T> T shfl_up(T elem, int delta) const;
  template <class T> T shfl_down(T elem, int delta) const;
  int any(int predicate) const;
  int all(int predicate) const;
  unsigned int ballot(int predicate) const;
  template <class T> unsigned int match_any(T val) const;
  template <class T> unsigned int match_all(T val, int &pred) const;
};

template <unsigned int Size, class ParentT = void> class thread_block_tile : public thread_group {
public:
  thread_block_tile();
  template <class P> thread_block_tile(const thread_block_tile<Size, P> &other);
  void sync() const;
  static constexpr unsigned int size() { return Size; }
  static constexpr unsigned int num_threads() { return Size; }
  unsigned int thread_rank() const;
  unsigned int meta_group_size() const;
  unsigned int meta_group_rank() const;
  template <class T> T shfl(T elem, int srcRank) const;
  template <class T> T shfl_up(T elem, int delta) const;
  template <class T> T shfl_down(T elem, int delta) const;
  template <class T> T shfl_xor(T elem, int laneMask) const;
  int any(int predicate) const;
  int all(int predicate) const;
  unsigned int ballot(int predicate) const;
  template <class T> unsigned int match_any(T val) const;
  template <class T> unsigned int match_all(T val, int &pred) const;
};

template <unsigned int MaxBlockSize = 1024> struct block_tile_memory { char storage[MaxBlockSize * 8 / 32 + 16]; };

thread_block this_thread_block();
template <unsigned int MaxBlockSize> thread_block this_thread_block(block_tile_memory<MaxBlockSize> &scratch);
grid_group this_grid();
multi_grid_group this_multi_grid();
cluster_group this_cluster();
coalesced_group coalesced_threads();
thread_group this_thread();
template <unsigned int Size, class ParentT> thread_block_tile<Size, ParentT> tiled_partition(const ParentT &g);
template <class ParentT> thread_group tiled_partition(const ParentT &parent, unsigned int tilesz);
coalesced_group binary_partition(const coalesced_group &g, bool pred);
template <unsigned int Size, class P> coalesced_group binary_partition(const thread_block_tile<Size, P> &g, bool pred);
template <class Label> coalesced_group labeled_partition(const coalesced_group &g, Label label);
template <unsigned int Size, class P, class Label> coalesced_group labeled_partition(const thread_block_tile<Size, P> &g, Label label);
template <class Group> void sync(const Group &g);
template <class Group> unsigned int thread_rank(const Group &g);
template <class Group> unsigned int group_size(const Group &g);
template <class Group, class F> CUDALINT_OPAQUE void invoke_one(const Group &g, F &&f);

namespace experimental {
template <unsigned int MaxBlockSize = 1024> using block_tile_memory = cooperative_groups::block_tile_memory<MaxBlockSize>;
template <unsigned int MaxBlockSize> thread_block this_thread_block(cooperative_groups::block_tile_memory<MaxBlockSize> &scratch);
template <unsigned int Size, class ParentT> thread_block_tile<Size, ParentT> tiled_partition(const ParentT &g);
}
namespace details {}
}
#pragma clang force_cuda_host_device end
