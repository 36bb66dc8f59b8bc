#pragma once

/// \file
/// What a kernel needs that fetches the other ranks' rows. Also compiled by NVRTC.

#include "peer_control.hpp"

namespace contextual::kernels::cuda {

struct GatherParameters {
  PeerBegin peers;
  TileFlag* flags;  ///< own ones, of all sources' pieces
  int flags_per_source;
  int rows_per_shard;
  int m;
  int k;  ///< of 16-bit values
  /// By rank: the scales that it has of all ranks' rows, shard by shard, and in it by block of k if rows have
  /// more than one; null if they have none.
  float* scales[PeerControl::most_ranks];
  int scales_per_shard;  ///< room for them, whole pieces
  int scales_pitch;      ///< from those of a block of k to those of the next
};

}  // namespace contextual::kernels::cuda
