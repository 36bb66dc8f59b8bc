#pragma once

/// \file
/// bf16 and fp16 on the host: what a reference needs to make a kernel's inputs and read its outputs.

#include <bit>
#include <cmath>
#include <cstdint>

namespace contextual::kernels::cuda {

inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// The nearest, ties to even; NaN stays NaN.
inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

inline float from_fp16(std::uint16_t bits) {
  const bool negative = (bits & 0x8000U) != 0;
  const int exponent = (bits >> 10U) & 0x1fU;
  const int mantissa = bits & 0x3ffU;
  float value = 0;
  if (exponent == 0x1f) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    value = std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
  }
  return negative ? -value : value;
}

/// The nearest, ties to even; beyond the largest: infinity.
inline std::uint16_t to_fp16(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) {
    return sign | 0x7e00U;
  }
  if (magnitude >= 65520.0F) {
    return sign | 0x7c00U;
  }
  if (magnitude < 6.103515625e-5F) {  // below the smallest normal number steps are 2^-24
    return sign | static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  }
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  const std::uint32_t rounded = bits + 0xfffU + ((bits >> 13U) & 1U);
  return sign | static_cast<std::uint16_t>((rounded >> 13U) - (112U << 10U));
}

}  // namespace contextual::kernels::cuda
