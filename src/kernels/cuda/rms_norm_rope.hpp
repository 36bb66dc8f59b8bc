#pragma once

/// \file
/// Which configs suit the rows of RMSNorm.

#include <contextual/kernels/cuda/rms_norm_rope.hpp>

namespace contextual::kernels::cuda {

/// Most threads have something to do, and none more than a few loads: else another config is always better.
bool suits(const RmsNormRopeConfig& config, const RmsNormRopeArgs& args);

}  // namespace contextual::kernels::cuda
