#pragma once

/// \file
/// The parameters of the GEMM with split k besides its tensor maps. Also compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"
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
  GemmEpilogue epilogue;  ///< of the sum
  const void* residual;   ///< which is added behind it; null for none
  int residual_pitch;
  void* output;  ///< the rows that this rank gets, filled with NaN if the call has failed
  int pitch;
};

}  // namespace contextual::kernels::cuda
