#pragma once

/// \file
/// A tunable kernel of the application's own: out = silu(gate) * up on the GPU, in bf16.

#include <contextual/cuda.hpp>

namespace examples {

struct GatedActivationConfig {
  int block = 256;     ///< threads
  int per_thread = 1;  ///< times that a thread reads 16 bytes of gate and of up
};

/// out, gate_up, rows, columns.
using GatedActivation = contextual::CudaKernel<GatedActivationConfig, void*, const void*, int, int>;

/// "gated_activation": out[i, j] = silu(gate_up[i, j]) * gate_up[i, columns + j], silu(x) = x / (1 +
/// exp(-x)), for compute capability 8.0 and newer. `columns` must be a multiple of 8. Lives as long as the
/// process.
GatedActivation& gated_activation();

}  // namespace examples
