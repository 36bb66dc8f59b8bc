#pragma once

/// \file
/// A kernel of CUDA C++ for the snippets. Nothing is compiled by NVRTC or launched, so no GPU is needed.

#include "docs/coming_from/coming_from.hpp"

#include <contextual/cuda.hpp>

#include <string>

namespace coming_from {

inline contextual::Key scale_key(float*, int n) {
  return contextual::make_key(n);
}

inline contextual::CudaKernelDefinition<Tile, float*, int> scale_definition() {
  return {
      .source = contextual::CudaSource::text("scale.cu", "extern \"C\" __global__ void scale(float*, int);"),
      .variant = [](const Tile&) { return contextual::CudaVariant{.function = "scale"}; },
      .layout =
          [](const Tile& tile, float*, int n) {
            return contextual::CudaLayout{.grid = {static_cast<unsigned>(n / tile.block)},
                                          .block = {static_cast<unsigned>(tile.block)}};
          }};
}

}  // namespace coming_from
