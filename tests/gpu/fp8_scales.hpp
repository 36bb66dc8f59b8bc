#pragma once

/// \file
/// Scales of fp8 for tests.

#include <cstddef>
#include <random>
#include <vector>

namespace contextual::test::gpu_test {

/// From 0.5 to 1.5.
inline std::vector<float> scales(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> drawn(static_cast<std::size_t>(count));
  for (float& scale : drawn) {
    scale = 0.5F + 0x1p-32F * static_cast<float>(generator());
  }
  return drawn;
}

}  // namespace contextual::test::gpu_test
