#pragma once

/// \file
/// Which configs suit the rows of RMSNorm.

#include <contextual/kernels/cuda/rms_norm_rope.hpp>

namespace contextual::kernels::cuda {

/// Most threads have something to do, and none more than a few loads: else another config is always better.
/// `width`: elements that may be loaded at once.
bool suits_rows(const RmsNormRopeConfig& config, int head_dim, int width);

}  // namespace contextual::kernels::cuda
