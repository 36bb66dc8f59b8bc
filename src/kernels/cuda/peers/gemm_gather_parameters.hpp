#pragma once

/// \file
/// The parameters of the fused all-gather GEMM besides its tensor maps. Also compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"
#include "peer_control.hpp"

namespace contextual::kernels::cuda {

struct GemmGatherParameters {
  static constexpr int most_products = 4;

  PeerBegin peers;
  TileFlag* flags;  ///< own ones, of all sources' pieces
  int flags_per_source;
  int rows_per_shard;
  int m;
  int k;
  bool fp16;
  int products;
  int n[most_products];
  bool finishes;  ///< at least one of them has an epilogue
  GemmEpilogue epilogue[most_products];
  void* output[most_products];  ///< filled with NaN if the call has failed
  int pitch[most_products];     ///< of the output's rows
};

}  // namespace contextual::kernels::cuda
