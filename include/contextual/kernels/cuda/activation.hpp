#pragma once

/// \file
/// What a GEMM may apply to its sums. Also compiled by NVRTC, so it includes nothing.

namespace contextual::kernels::cuda {

/// Of x: relu is max(x, 0), gelu is x / 2 (1 + erf(x / sqrt(2))), silu is x / (1 + exp(-x)).
enum class Activation { none, relu, gelu, silu };

}  // namespace contextual::kernels::cuda
