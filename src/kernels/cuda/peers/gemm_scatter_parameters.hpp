#pragma once

/// \file
/// The parameters of the fused GEMM reduce-scatter besides its tensor maps. Also compiled by NVRTC.

#include "peer_control.hpp"

namespace contextual::kernels::cuda {

struct GemmScatterParameters {
  PeerBegin peers;
  TileFlag* flags[PeerControl::most_ranks];  ///< by owner: its flags of all sources' tiles
  int flags_per_source;
  int rows_per_shard;
  int m;
  int n;
  int k;
  bool fp16;
  void* output;              ///< own rows, filled with NaN if the call has failed
  unsigned long long count;  ///< of their values
};

}  // namespace contextual::kernels::cuda
