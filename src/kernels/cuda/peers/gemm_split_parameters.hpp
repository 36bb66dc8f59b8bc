#pragma once

/// \file
/// The parameters of the GEMM with split k besides its tensor maps. Also compiled by NVRTC.

#include "peer_control.hpp"

namespace contextual::kernels::cuda {

struct GemmSplitParameters {
  PeerBegin peers;
  TileFlag* flags[PeerControl::most_ranks];  ///< by rank: its flags of all sources' tiles
  const void* slots;                         ///< own ones: [source][split][rows_of_owner][n]
  int rows_of_owner;
  bool all_rows;  ///< each rank gets all rows
  int splits;
  int m;
  int n;
  int k;
  bool fp16;
  void* output;  ///< the rows that this rank gets
};

}  // namespace contextual::kernels::cuda
