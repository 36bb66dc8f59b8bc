#pragma once

/// \file
/// Conversions of bf16 and fp16 on the host, for references that make a kernel's inputs and read its outputs.

#include <bit>
#include <cmath>
#include <cstdint>

namespace contextual::kernels::cuda {

inline float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

/// Returns the nearest bf16, with ties to even. NaN stays NaN.
inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>((bits >> 16U) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
}

inline float from_fp16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16U;
  const std::uint32_t exponent = (bits >> 10U) & 0x1fU;
  const std::uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0) {  // steps of 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return sign == 0 ? magnitude : -magnitude;
  }
  return std::bit_cast<float>(sign | (exponent == 0x1fU ? 0xffU : exponent + 112U) << 23U | mantissa << 13U);
}

/// Returns the nearest fp16, with ties to even, or infinity beyond the largest.
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
