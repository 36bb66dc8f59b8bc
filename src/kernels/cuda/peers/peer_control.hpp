#pragma once

/// \file
/// The words by which the ranks of a node tell each other how far they are, in each rank's device memory.
/// Also compiled by NVRTC, so it includes nothing.

namespace contextual::kernels::cuda {

/// Why a call has failed: the value of PeerControl::failed. Those from `not_arrived` on have the rank added.
struct PeerFailure {
  static constexpr unsigned none = 0;
  static constexpr unsigned aborted = 1;
  static constexpr unsigned not_arrived = 16;
  static constexpr unsigned rows_missing = 32;
  static constexpr unsigned not_done = 48;
  static constexpr unsigned part_missing = 64;
  static constexpr unsigned told_by = 80;
};

/// The epoch of the call in which a tile of a source's partial sums came to the owner of its rows, and the
/// tile's shape and the splits of k: one of another shape is none. Of a piece of rows, the epoch with shape
/// 0. Never lowered.
using TileFlag = unsigned long long;
constexpr unsigned tile_flag_shape_bits = 16;

/// Written by kernels and copies of any rank, read by the rank that owns it. All zero at first.
struct PeerControl {
  static constexpr int most_ranks = 8;

  unsigned long long epoch;  ///< the number of this rank's calls so far
  TileFlag copied_flag;      ///< of the last copied call; copies bring it to the peers behind the rows
  unsigned long long arrived[most_ranks];  ///< by rank: the epoch of the last call that it has begun
  unsigned long long
      fetched[most_ranks];            ///< by rank: the epoch of the last call in which it has this one's rows
  unsigned long long looked_at_host;  ///< when one of its threads has last done so
  unsigned long long waits_since;     ///< the first wait of the current call; 0: none yet
  unsigned failed;                    ///< a PeerFailure, once a wait of this rank or of a peer was in vain
  unsigned tickets;                   ///< tiles of the current call that clusters have taken
  unsigned pieces;                    ///< of the others' rows that blocks have taken, to fetch them
  unsigned fetched_pieces;            ///< of them: that are here
  unsigned here[most_ranks];          ///< the same by source
  unsigned senders;                   ///< of the tiles: that have or want a turn to be sent
  unsigned sent;                      ///< and have been
  unsigned begun;                     ///< blocks of the current call that are on the device
  unsigned all_begun;                 ///< 1: all ranks have begun, or in vain; the copies' stream makes it 0
  unsigned left;                      ///< blocks of the current call that are done
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

}  // namespace contextual::kernels::cuda
