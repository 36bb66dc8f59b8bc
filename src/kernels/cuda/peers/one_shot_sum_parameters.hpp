#pragma once

/// \file
/// The parameters of the kernel that reads what all ranks have of a rank's rows. Also compiled by NVRTC.

#include "kernels/cuda/gemm_epilogue.hpp"
#include "peer_control.hpp"

namespace contextual::kernels::cuda {

/// Pitches are values from one row to the next, multiples of 8.
struct OneShotSumParameters {
  PeerBegin peers;
  const void* from[PeerControl::most_ranks];  ///< by rank: where it has this rank's rows, dense
  int rows;
  bool fp16;
  GemmEpilogue epilogue;
  const void* residual;  ///< null for none
  int residual_pitch;
  void* output;  ///< NaN if the call has failed
  int pitch;
};

}  // namespace contextual::kernels::cuda
