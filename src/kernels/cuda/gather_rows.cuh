#pragma once

/// The other ranks' rows, which blocks that multiply fetch meanwhile, by way of the buffers of C. Compiled by NVRTC, behind
/// gemm_tickets.cuh.

#include "gather_order.hpp"
#include "gather_parameters.hpp"
#include "gemm_pipeline.cuh"
#include "gemm_tickets.cuh"
#include "peer_wait.cuh"

namespace {

using contextual::kernels::cuda::GatherParameters;
using contextual::kernels::cuda::GatherPiece;
using contextual::kernels::cuda::GatherPieces;
using contextual::kernels::cuda::tile_flag_shape_bits;
using contextual::kernels::cuda::TileFlag;

/// For pieces: what one store covers.
struct FetchMaps {
  TensorMap from[PeerControl::most_ranks];  ///< by rank: its rows in its gathered matrix
  TensorMap to[PeerControl::most_ranks];    ///< the same rows in the own one
};

// The last ones of a tile, before which C's buffers are given back: some microseconds.
constexpr int closing_k_blocks = 4 * (128 * 256) / (BLOCK_M * BLOCK_N);
constexpr int piece_bytes = consumers * store_bytes;
constexpr int scales_bytes = GatherPieces::rows * static_cast<int>(sizeof(float));  // of a piece's rows
// With scales of blocks, each piece brings those of its columns; otherwise the first piece of a row brings the row's.
constexpr int blocks_of_piece = BLOCK_SCALES != 0 ? GatherPieces::columns / block_k : 1;
static_assert(GatherPieces::rows == slab_m && GatherPieces::columns == consumers * store_n);
static_assert(store_buffers > 1);

__device__ GatherPieces pieces_of(const GatherParameters& p) { return {p.m, p.rows_per_shard, p.k}; }

__device__ TileFlag flag_now(const GatherParameters& p) {
  return (p.peers.control[p.peers.rank]->epoch + 1) << tile_flag_shape_bits;
}

/// Fetches the others' rows, those of the next rank first. One thread of the block, which also stores C, and lends a
/// buffer of each consumer. `TheShared` has a barrier `piece_full`, and a word `closing`: one more than the last ticket
/// of which most is loaded. With FP8 it has room for the scales of a piece.
template <typename TheShared>
class Fetcher {
 public:
  __device__ Fetcher(const FetchMaps& maps, const GatherParameters& p, TheShared shared)
      : maps_(maps), p_(p), shared_(shared), pieces_(pieces_of(p)), count_(0), patience_(p.peers) {
    for (int rank = 0; rank < p.peers.ranks; ++rank) {
      count_ += rank == p.peers.rank ? 0 : pieces_.count(rank);
    }
    fetches_ = count_ > 0;
  }

  /// There may be more to fetch.
  __device__ bool fetches() const { return fetches_; }

  /// Fetches until C's buffers are wanted for the tile of this ticket. Nothing reads the buffer.
  __device__ void fetch(int buffer, int ticket) {
    while (fetches_ && look_at_shared(shared_.closing()) <= static_cast<unsigned>(ticket)) {
      if (!all_have_begun()) {
        continue;
      }
      const int index = static_cast<int>(atomicAdd(&own().pieces, 1U));
      fetches_ = index < count_;
      if (fetches_) {
        copy(index, buffer);
      }
    }
    tell();
  }

 private:
  __device__ PeerControl& own() const { return *p_.peers.control[p_.peers.rank]; }

  /// Looks whether the other ranks' calls have begun. In vain, there is nothing to fetch.
  __device__ bool all_have_begun() {
    for (int rank = 0; !begun_ && rank < p_.peers.ranks; ++rank) {
      if (rank != p_.peers.rank && !has_begun(p_.peers, rank)) {
        fetches_ = !patience_.has_ended(PeerFailure::not_arrived + rank);
        return false;
      }
    }
    if (!begun_) {
      fence_global_reads();
      begun_ = true;
    }
    return true;
  }

  __device__ void copy(int index, int buffer) {
    int source = p_.peers.rank;
    for (int rest = index; rest >= 0; rest -= pieces_.count(source)) {
      source = source + 1 < p_.peers.ranks ? source + 1 : 0;
      index = rest;
    }
    const GatherPiece piece = pieces_.piece(source, index);
    const int scales = scales_of(piece, source);
    barrier_expect(shared_.piece_full(), piece_bytes + scales * scales_bytes);
    for (int half = 0; half < consumers; ++half) {
      load_box(shared_.store(half, buffer), maps_.from[source], piece.column + half * store_n, piece.row,
               shared_.piece_full());
    }
    if constexpr (FP8 != 0) {
      for (int block = 0; block < scales; ++block) {
        load_linear(shared_.piece_scales() + block * scales_bytes,
                    p_.scales[source] + first_scale(piece, source, block), scales_bytes, shared_.piece_full());
      }
    }
    tell();  // meanwhile
    barrier_wait(shared_.piece_full(), parity_);
    parity_ ^= 1;
    for (int half = 0; half < consumers; ++half) {
      store_box(maps_.to[source], piece.column + half * store_n, piece.row, shared_.store(half, buffer));
    }
    if constexpr (FP8 != 0) {
      for (int block = 0; block < scales; ++block) {
        store_linear(p_.scales[p_.peers.rank] + first_scale(piece, source, block),
                     shared_.piece_scales() + block * scales_bytes, scales_bytes);
      }
    }
    commit_stores();
    untold_ = p_.flags + source * p_.flags_per_source + index;
    source_ = source;
    wait_for_stores<0>();
  }

  /// Returns how many scales of each of its rows come with a piece.
  __device__ int scales_of(const GatherPiece& piece, int source) const {
    if (BLOCK_SCALES != 0) {
      return min(blocks_of_piece, (p_.k - piece.column + block_k - 1) / block_k);
    }
    return FP8 != 0 && piece.column == 0 && p_.scales[source] != nullptr ? 1 : 0;
  }
  __device__ int first_scale(const GatherPiece& piece, int source, int block) const {
    const int of_shard = BLOCK_SCALES != 0 ? (piece.column / block_k + block) * p_.scales_pitch : 0;
    return source * p_.scales_per_shard + of_shard + piece.row;
  }

  /// Waits until the last piece has been written, and says so. Whoever writes the last one of all tells the other ranks
  /// that this one needs their rows no more.
  __device__ void tell() {
    if (untold_ == nullptr) {
      return;
    }
    wait_for_writes();
    fence_global_writes();
    store_here(untold_, flag_now(p_));
    untold_ = nullptr;
    __threadfence();
    atomicAdd(&own().here[source_], 1U);
    if (static_cast<int>(atomicAdd(&own().fetched_pieces, 1U)) == count_ - 1) {
      for (int rank = 0; rank < p_.peers.ranks; ++rank) {
        store_for_peers(&p_.peers.control[rank]->fetched[p_.peers.rank], own().epoch + 1);
      }
    }
  }

  const FetchMaps& maps_;
  const GatherParameters& p_;
  TheShared shared_;
  GatherPieces pieces_;
  int count_;
  bool fetches_;
  bool begun_ = false;
  Patience patience_;
  unsigned parity_ = 0;
  TileFlag* untold_ = nullptr;  // of the piece that is being written
  int source_ = 0;              // of that piece
};

/// One warp: until the other ranks have this one's rows.
__device__ void wait_for_fetches(const GatherParameters& p, int lane) {
  const PeerControl& own = *p.peers.control[p.peers.rank];
  if (lane < p.peers.ranks && lane != p.peers.rank && pieces_of(p).count(p.peers.rank) > 0) {
    wait_until(p.peers, PeerFailure::not_done + lane, [&] { return load_from_peers(&own.fetched[lane]) > own.epoch; });
  }
}

}  // namespace
