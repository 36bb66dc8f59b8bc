#pragma once

/// Which tile of C a block of the Hopper GEMM takes next, and how long it waits for its rows of A. Compiled
/// by NVRTC as a part of gemm.cu, behind gemm_pipeline.cuh.

#include "gemm_order.hpp"
#include "kernels/cuda/gemm_parameters.hpp"
#include "hopper_ptx.cuh"

namespace {

using contextual::kernels::cuda::GemmParameters;

using contextual::kernels::cuda::Bands;
using contextual::kernels::cuda::Tile;

/// The tiles of C. Rows of tiles begin with the first one that lies behind `first_row`, and go on from the top.
struct Walk {
  static constexpr int tile_rows = BLOCK_M * CLUSTER;
  int m_tiles;
  int first_m;
  Bands bands;

  __device__ explicit Walk(const GemmParameters& p)
      : m_tiles((p.m + tile_rows - 1) / tile_rows),
        first_m((p.first_row + tile_rows - 1) / tile_rows),
        bands(tile_order, m_tiles, (p.n + tile_n - 1) / tile_n) {}

  __device__ int count() const { return bands.count(); }
  __device__ Tile operator[](int index) const {
    Tile tile = bands[index];
    tile.m += first_m;
    tile.m -= tile.m >= m_tiles ? m_tiles : 0;
    return {tile.m * CLUSTER + (CLUSTER > 1 ? static_cast<int>(hopper::block_in_cluster()) : 0), tile.n};
  }
};

/// The rows that share a flag with a row. `end` may lie beyond the matrix.
struct RowGroup {
  int index;
  int begin;
  int end;

  __device__ RowGroup(const GemmParameters& p, int row) {
    const int shard = row / p.rows_per_shard;
    const int shard_begin = shard * p.rows_per_shard;
    const int part = (row - shard_begin) / p.rows_per_flag;
    index = shard * p.flags_per_shard + part;
    begin = row;
    end = shard_begin + min((part + 1) * p.rows_per_flag, p.rows_per_shard);
  }
};

/// Waits for flags, for a limited time in all, and until a wait of anybody was in vain or the host ends it.
class Flags {
 public:
  __device__ explicit Flags(const GemmParameters& p) : p_(p) {}

  /// Until the flags of these rows of A are set, or there is nothing to wait for any more.
  __device__ void wait(int first_row) {
    const int end = min(first_row + BLOCK_M, p_.m);
    if (first_row >= end || first_row == done_) {
      return;
    }
    for (RowGroup group(p_, first_row); group.begin < end; group = RowGroup(p_, group.end)) {
      while (hopper::load_flag(p_.ready_flags + group.index) < p_.ready_value && !expired()) {
        __nanosleep(20);
      }
    }
    hopper::fence_global_reads();
    done_ = first_row;
  }

 private:
  __device__ bool expired() {
    constexpr unsigned long long host_interval_ns = 50'000;  // a read of its memory takes about a microsecond
    if (ended_ || (p_.timed_out != nullptr && *const_cast<volatile unsigned*>(p_.timed_out) != 0)) {
      return true;
    }
    const unsigned long long now = hopper::now_ns();
    if (begin_ == 0) {
      begin_ = now;
      next_look_at_host_ = now + host_interval_ns;
    }
    if (now - begin_ >= p_.wait_budget_ns) {
      give_up(1);
      return true;
    }
    if (p_.host_abort != nullptr && now >= next_look_at_host_) {
      next_look_at_host_ = now + host_interval_ns;
      if (hopper::load_flag(p_.host_abort) != 0) {
        give_up(2);
        return true;
      }
    }
    return false;
  }
  __device__ void give_up(unsigned reason) {
    ended_ = true;
    if (p_.timed_out != nullptr) {
      atomicCAS_system(p_.timed_out, 0U, reason);
    }
  }

  const GemmParameters& p_;
  unsigned long long begin_ = 0;  // of the first wait that was not over at once
  unsigned long long next_look_at_host_ = 0;
  bool ended_ = false;
  int done_ = -1;
};

}  // namespace
