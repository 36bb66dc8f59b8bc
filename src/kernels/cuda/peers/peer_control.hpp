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
  static constexpr unsigned not_offered = 48;
  static constexpr unsigned told_by = 64;
};

/// Written by kernels and copies of any rank, read by the rank that owns it. All zero at first.
struct PeerControl {
  static constexpr int most_ranks = 8;
  static constexpr int most_lanes = 4;
  static constexpr int flags_per_rank = 16;  ///< RowPartition::most_chunks

  unsigned epoch;                ///< the number of this rank's calls, which wraps around
  unsigned failed;               ///< a PeerFailure, once a wait of this rank or of a peer was in vain
  unsigned arrived[most_ranks];  ///< by rank: the epoch of the last call for which it has arrived here
  unsigned done[most_ranks * most_lanes];  ///< by rank and lane: 1 if it needs this rank's memory no more
  unsigned ready[most_ranks * flags_per_rank];  ///< by chunk of the gathered rows: 1 if they are here
  unsigned
      offered[most_ranks * flags_per_rank];      ///< by source and chunk of own rows: 1 if they may be summed
  unsigned counts[most_ranks * flags_per_rank];  ///< by chunk of the partial sums: elements computed so far
};

/// What the handshake at the begin of a call needs.
struct PeerBegin {
  PeerControl* control[PeerControl::most_ranks];  ///< by rank
  int rank;
  int ranks;
  unsigned* host_failed;       ///< in the host's memory: a copy of `failed` for those that must not wait
  const unsigned* host_abort;  ///< in the host's memory: not 0 ends all waits
  unsigned long long wait_budget_ns;  /// by the device's global timer
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

/// What a kernel needs that sums the partial sums of all ranks.
struct PeerSum {
  PeerBegin peers;
  const void* partial[PeerControl::most_ranks];  ///< by rank: where its values of the own rows lie, dense
  void* output;                                  ///< [rows, n], dense
  int rows;
  int rows_per_chunk;
  int n;  ///< a multiple of 8
  bool fp16;
};

}  // namespace contextual::kernels::cuda
