#pragma once

/// \file
/// The tunable kernels on the CPU, with config space, key and launcher, for gemm.hpp, flagged_gemm.hpp,
/// rms_norm.hpp and gated_activation.hpp. There is one of each, which lives as long as the process. Launches
/// are thread-safe.

#include "kernels/host/flagged_gemm.hpp"
#include "kernels/host/gated_activation.hpp"
#include "kernels/host/gemm.hpp"
#include "kernels/host/rms_norm.hpp"

#include <contextual/config_space.hpp>
#include <contextual/kernel.hpp>

namespace contextual::kernels {

/// Tile shape, depth of a block and threads: 16 configs, or 8 on a machine with one core.
ConfigSpace<GemmConfig> gemm_space();

/// Block, tile, order and threads: 24 configs, or 12 on a machine with one core. "as_arrived" is left out for
/// launches without flags to wait for. With a single shard, only "own_first" is a candidate.
ConfigSpace<FlaggedGemmConfig> flagged_gemm_space();

/// Block, unrolling and threads: 12 configs, or 6 on a machine with one core.
ConfigSpace<RmsNormConfig> rms_norm_space();

/// Block, exp and threads: 8 configs, or 4 on a machine with one core.
ConfigSpace<GatedActivationConfig> gated_activation_space();

/// "host_gemm"; key: m, n, k, accumulate.
TunableKernel<void(const GemmConfig&, const GemmArgs&)>& gemm();

/// "host_flagged_gemm"; key: m, n, k, shards, whether it waits, whether it sets flags. A launch that waits
/// needs its producer to run, so it cannot be tuned alone.
TunableKernel<void(const FlaggedGemmConfig&, const FlaggedGemmArgs&)>& flagged_gemm();

/// "host_rms_norm"; key: rows, cols.
TunableKernel<void(const RmsNormConfig&, const RmsNormArgs&)>& rms_norm();

/// "host_gated_activation"; key: rows, cols.
TunableKernel<void(const GatedActivationConfig&, const GatedActivationArgs&)>& gated_activation();

}  // namespace contextual::kernels
