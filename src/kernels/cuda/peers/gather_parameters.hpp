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
  int k;
};

}  // namespace contextual::kernels::cuda
