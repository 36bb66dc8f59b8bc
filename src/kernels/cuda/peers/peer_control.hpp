#pragma once

/// \file
/// The words by which the ranks of a node tell each other how far they are, in each rank's device memory.
/// Also compiled by NVRTC, so it includes nothing.

namespace contextual::kernels::cuda {

/// Why a call has failed: the value of PeerControl::failed. Those from `not_arrived` on have the rank added.
struct PeerFailure {
  static constexpr unsigned none = 0;
  static constexpr unsigned rows_missing = 1;  ///< this and the next are what the GEMM writes to `timed_out`
  static constexpr unsigned aborted = 2;
  static constexpr unsigned not_arrived = 16;
  static constexpr unsigned not_done = 32;
  static constexpr unsigned part_missing = 48;
  static constexpr unsigned told_by = 64;
};

/// The epoch of the call in which a tile of a source's partial sums came to the owner of its rows, and the
/// tile's shape: one of another shape is none. Never lowered.
using TileFlag = unsigned long long;
constexpr unsigned tile_flag_shape_bits = 8;

/// Written by kernels and copies of any rank, read by the rank that owns it. All zero at first.
struct PeerControl {
  static constexpr int most_ranks = 8;
  static constexpr int most_lanes = 4;
  static constexpr int flags_per_rank = 16;  ///< RowPartition::most_chunks

  unsigned long long epoch;                ///< the number of this rank's calls so far
  unsigned long long arrived[most_ranks];  ///< by rank: the epoch of the last call that it has begun
  unsigned long long looked_at_host;       ///< when one of its threads has last done so
  unsigned failed;   ///< a PeerFailure, once a wait of this rank or of a peer was in vain
  unsigned tickets;  ///< tiles of the current call that clusters have taken
  unsigned senders;  ///< of them: that have or want a turn to be sent
  unsigned sent;     ///< and have been
  unsigned left;     ///< blocks of the current call that are done
  unsigned done[most_ranks * most_lanes];  ///< by rank and lane: 1 if it needs this rank's memory no more
  unsigned ready[most_ranks * flags_per_rank];   ///< by chunk of the gathered rows: 1 if they are here
  unsigned counts[most_ranks * flags_per_rank];  ///< by the same: blocks that have fetched their share
};

/// What a kernel needs that meets the other ranks or waits for them.
struct PeerBegin {
  PeerControl* control[PeerControl::most_ranks];  ///< by rank
  int rank;
  int ranks;
  unsigned* host_failed;       ///< in the host's memory: a copy of `failed` for those that must not wait
  const unsigned* host_abort;  ///< in the host's memory: not 0 ends all waits
  unsigned long long wait_budget_ns;  ///< by the device's global timer
};

/// What ends a call.
struct PeerEnd {
  PeerBegin peers;
  int lanes;                 ///< of each peer that must be done with this rank's memory; 0 to wait for none
  void* output;              ///< of 16-bit values, filled with NaN if the call has failed
  unsigned long long count;  ///< of these values
};

/// What a kernel needs that fetches the rows of the other ranks.
struct PeerFetch {
  PeerControl* control[PeerControl::most_ranks];  ///< by rank
  const void* gathered[PeerControl::most_ranks];  ///< by rank: the matrix of which each has its own rows
  int rank;
  int ranks;
  int m;  ///< rows of the matrix, divided as RowPartition says
  int rows_per_shard;
  int rows_per_chunk;
  int chunks;
  unsigned long long row_bytes;  ///< a multiple of 16
};

}  // namespace contextual::kernels::cuda
