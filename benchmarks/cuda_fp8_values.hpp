#pragma once

/// \file
/// Made-up matrices of e4m3, and scales.

#include <cuda_fp8.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace contextual::benchmarks {

/// Normally distributed, repeated with a period that no tile divides.
inline std::vector<std::uint8_t> random_fp8_values(std::size_t count, unsigned seed) {
  constexpr std::size_t period = 1'000'003;
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<std::uint8_t> values(count);
  for (std::size_t i = 0; i < std::min(count, period); ++i) {
    values[i] = __nv_fp8_e4m3(normal(generator)).__x;
  }
  for (std::size_t filled = period; filled < count; filled *= 2) {
    std::copy_n(values.begin(), std::min(filled, count - filled),
                values.begin() + static_cast<std::ptrdiff_t>(filled));
  }
  return values;
}

inline std::vector<float> random_scales(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> scale(0.5F, 1.5F);
  std::vector<float> scales(static_cast<std::size_t>(count));
  std::generate(scales.begin(), scales.end(), [&] { return scale(generator); });
  return scales;
}

/// Returns how many blocks of 128 values have scales of their own.
constexpr int blocks_of(int size) {
  return (size + 127) / 128;
}

}  // namespace contextual::benchmarks
