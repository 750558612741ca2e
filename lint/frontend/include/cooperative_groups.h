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
  template <class _T> static _T *map_shared_rank(_T *addr, int rank);
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
  template <class _T> _T shfl(_T elem, int srcRank) const;
  template <class _T> _T shfl_up(_T elem, int delta) const;
  template <class _T> _T shfl_down(_T elem, int delta) const;
  int any(int predicate) const;
  int all(int predicate) const;
  unsigned int ballot(int predicate) const;
  template <class _T> unsigned int match_any(_T val) const;
  template <class _T> unsigned int match_all(_T val, int &pred) const;
};

template <unsigned int _Size, class _ParentT = void> class thread_block_tile : public thread_group {
public:
  thread_block_tile();
  template <class _P> thread_block_tile(const thread_block_tile<_Size, _P> &other);
  void sync() const;
  static constexpr unsigned int size() { return _Size; }
  static constexpr unsigned int num_threads() { return _Size; }
  unsigned int thread_rank() const;
  unsigned int meta_group_size() const;
  unsigned int meta_group_rank() const;
  template <class _T> _T shfl(_T elem, int srcRank) const;
  template <class _T> _T shfl_up(_T elem, int delta) const;
  template <class _T> _T shfl_down(_T elem, int delta) const;
  template <class _T> _T shfl_xor(_T elem, int laneMask) const;
  int any(int predicate) const;
  int all(int predicate) const;
  unsigned int ballot(int predicate) const;
  template <class _T> unsigned int match_any(_T val) const;
  template <class _T> unsigned int match_all(_T val, int &pred) const;
};

template <unsigned int _MaxBlockSize = 1024> struct block_tile_memory { char storage[_MaxBlockSize * 8 / 32 + 16]; };

thread_block this_thread_block();
template <unsigned int _MaxBlockSize> thread_block this_thread_block(block_tile_memory<_MaxBlockSize> &scratch);
grid_group this_grid();
multi_grid_group this_multi_grid();
cluster_group this_cluster();
coalesced_group coalesced_threads();
thread_group this_thread();
template <unsigned int _Size, class _ParentT> thread_block_tile<_Size, _ParentT> tiled_partition(const _ParentT &_g);
template <class _ParentT> thread_group tiled_partition(const _ParentT &parent, unsigned int tilesz);
coalesced_group binary_partition(const coalesced_group &_g, bool pred);
template <unsigned int _Size, class _P> coalesced_group binary_partition(const thread_block_tile<_Size, _P> &_g, bool pred);
template <class _Label> coalesced_group labeled_partition(const coalesced_group &_g, _Label label);
template <unsigned int _Size, class _P, class _Label> coalesced_group labeled_partition(const thread_block_tile<_Size, _P> &_g, _Label label);
template <class _Group> void sync(const _Group &_g);
template <class _Group> void synchronize(const _Group &_g);
template <class _Group> unsigned int thread_rank(const _Group &_g);
template <class _Group> unsigned int group_size(const _Group &_g);
template <class _Group, class _F> CUDALINT_OPAQUE void invoke_one(const _Group &_g, _F &&_f);

namespace experimental {
template <unsigned int _MaxBlockSize = 1024> using block_tile_memory = cooperative_groups::block_tile_memory<_MaxBlockSize>;
template <unsigned int _MaxBlockSize> thread_block this_thread_block(cooperative_groups::block_tile_memory<_MaxBlockSize> &scratch);
template <unsigned int _Size, class _ParentT> thread_block_tile<_Size, _ParentT> tiled_partition(const _ParentT &_g);
}
namespace details {}
}
#pragma clang force_cuda_host_device end
