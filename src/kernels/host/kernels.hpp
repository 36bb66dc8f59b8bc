#pragma once

/// \file
/// The tunable kernels on the CPU: config space, key and launcher of gemm.hpp, rms_norm.hpp and
/// gated_activation.hpp. One of each lives as long as the process; launches are thread-safe.

#include "kernels/host/gated_activation.hpp"
#include "kernels/host/gemm.hpp"
#include "kernels/host/rms_norm.hpp"

#include <contextual/config_space.hpp>
#include <contextual/kernel.hpp>

namespace contextual::kernels {

/// Tile shape, depth of a block and threads: 16 configs, 8 on a machine of one core.
ConfigSpace<GemmConfig> gemm_space();

/// Block, unrolling and threads: 12 configs, 6 on a machine of one core.
ConfigSpace<RmsNormConfig> rms_norm_space();

/// Block, exp and threads: 8 configs, 4 on a machine of one core.
ConfigSpace<GatedActivationConfig> gated_activation_space();

/// "host_gemm"; key: m, n, k, accumulate.
TunableKernel<void(const GemmConfig&, const GemmArgs&)>& gemm();

/// "host_rms_norm"; key: rows, cols.
TunableKernel<void(const RmsNormConfig&, const RmsNormArgs&)>& rms_norm();

/// "host_gated_activation"; key: rows, cols.
TunableKernel<void(const GatedActivationConfig&, const GatedActivationArgs&)>& gated_activation();

}  // namespace contextual::kernels
