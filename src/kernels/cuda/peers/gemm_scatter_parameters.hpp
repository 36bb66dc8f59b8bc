#pragma once

/// \file
/// The parameters of the fused GEMM reduce-scatter besides its tensor maps. Also compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"
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
  GemmEpilogue epilogue;  ///< of the ranks' sum
  bool has_residual;      ///< which is added behind it
  void* output;           ///< own rows, filled with NaN if the call has failed
  int pitch;              ///< of the output's rows
  int own_rows;
};

}  // namespace contextual::kernels::cuda
