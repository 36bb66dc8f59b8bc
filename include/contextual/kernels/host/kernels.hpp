#pragma once

/// \file
/// The tunable kernels on the CPU, with config space, key and launcher, for gemm.hpp, flagged_gemm.hpp,
/// rms_norm.hpp and gated_activation.hpp. There is one of each, which lives as long as the process. Launches
/// are thread-safe.

#include <contextual/config_space.hpp>
#include <contextual/export.hpp>
#include <contextual/kernel.hpp>
#include <contextual/kernels/host/flagged_gemm.hpp>
#include <contextual/kernels/host/gated_activation.hpp>
#include <contextual/kernels/host/gemm.hpp>
#include <contextual/kernels/host/rms_norm.hpp>

namespace contextual::kernels {

/// Tile shape, depth of a block and threads: 16 configs, or 8 on a machine with one core.
CONTEXTUAL_API ConfigSpace<GemmConfig> gemm_space();

/// Block, tile, order and threads: 24 configs, or 12 on a machine with one core. "as_arrived" is left out for
/// launches without flags to wait for. With a single shard, only "own_first" is a candidate.
CONTEXTUAL_API ConfigSpace<FlaggedGemmConfig> flagged_gemm_space();

/// Block, unrolling and threads: 12 configs, or 6 on a machine with one core.
CONTEXTUAL_API ConfigSpace<RmsNormConfig> rms_norm_space();

/// Block, exp and threads: 8 configs, or 4 on a machine with one core.
CONTEXTUAL_API ConfigSpace<GatedActivationConfig> gated_activation_space();

/// "host_gemm"; key: m, n, k, accumulate.
CONTEXTUAL_API TunableKernel<void(const GemmConfig&, const GemmArgs&)>& gemm();

/// "host_flagged_gemm"; key: m, n, k, shards, whether it waits, whether it sets flags. A launch that waits
/// needs its producer to run, so it cannot be tuned alone.
CONTEXTUAL_API TunableKernel<void(const FlaggedGemmConfig&, const FlaggedGemmArgs&)>& flagged_gemm();

/// "host_rms_norm"; key: rows, cols.
CONTEXTUAL_API TunableKernel<void(const RmsNormConfig&, const RmsNormArgs&)>& rms_norm();

/// "host_gated_activation"; key: rows, cols.
CONTEXTUAL_API TunableKernel<void(const GatedActivationConfig&, const GatedActivationArgs&)>&
gated_activation();

}  // namespace contextual::kernels
