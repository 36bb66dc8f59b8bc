#pragma once

/// \file
/// The sum of all ranks' partial sums: a tunable kernel that runs beside the GEMM or after it.

#include "kernels/cuda/peers/peer_control.hpp"
#include "kernels/cuda/peers/peer_lanes.hpp"

#include <contextual/cuda.hpp>
#include <contextual/kernel.hpp>

namespace contextual::kernels::cuda {

struct PartialSumConfig {
  int sms = 0;  ///< multiprocessors beside the GEMM; 0: all of them, after it
};

/// One sum, within a call of an object.
struct SumCall {
  PeerSum sum;
  PeerLanes* lanes = nullptr;  ///< the last one is taken for a sum beside the GEMM
  int multiprocessors = 0;     ///< of the device
  int m = 0;                   ///< rows of the whole matrix, of which this rank sums its own
};

/// "cuda_partial_sum". Key: m, n, ranks, type.
using PartialSum = TunableKernel<void(const PartialSumConfig&, CUstream, const SumCall*)>;
PartialSum& partial_sum();

}  // namespace contextual::kernels::cuda
