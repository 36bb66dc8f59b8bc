#pragma once

/// \file
/// The tunable kernels on the CPU: config space, key and launcher of gemm.hpp, flagged_gemm.hpp, rms_norm.hpp
/// and gated_activation.hpp. One of each lives as long as the process; launches are thread-safe.

#include "kernels/host/flagged_gemm.hpp"
#include "kernels/host/gated_activation.hpp"
#include "kernels/host/gemm.hpp"
#include "kernels/host/rms_norm.hpp"

#include <contextual/config_space.hpp>
#include <contextual/kernel.hpp>

namespace contextual::kernels {

/// Tile shape, depth of a block and threads: 16 configs, 8 on a machine of one core.
ConfigSpace<GemmConfig> gemm_space();

/// Block, tile, order and threads: 24 configs, 12 on a machine of one core. A launch without flags to wait
/// for does without "as_arrived", one of a single shard with "own_first" alone.
ConfigSpace<FlaggedGemmConfig> flagged_gemm_space();

/// Block, unrolling and threads: 12 configs, 6 on a machine of one core.
ConfigSpace<RmsNormConfig> rms_norm_space();

/// Block, exp and threads: 8 configs, 4 on a machine of one core.
ConfigSpace<GatedActivationConfig> gated_activation_space();

/// "host_gemm"; key: m, n, k, accumulate.
TunableKernel<void(const GemmConfig&, const GemmArgs&)>& gemm();

/// "host_flagged_gemm"; key: m, n, k, shards, whether it waits, whether it sets flags. A launch that waits
/// must have its producer running: it cannot be tuned alone.
TunableKernel<void(const FlaggedGemmConfig&, const FlaggedGemmArgs&)>& flagged_gemm();

/// "host_rms_norm"; key: rows, cols.
TunableKernel<void(const RmsNormConfig&, const RmsNormArgs&)>& rms_norm();

/// "host_gated_activation"; key: rows, cols.
TunableKernel<void(const GatedActivationConfig&, const GatedActivationArgs&)>& gated_activation();

}  // namespace contextual::kernels
