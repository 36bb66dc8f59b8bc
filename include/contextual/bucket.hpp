#pragma once

/// \file
/// Ranges of sizes, for the keys of kernels whose sizes change with every call.

#include <contextual/error.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <utility>

namespace contextual {

/// Returns the smallest of 0, 1, 2, 4, 8, ... that is not below `size`. In a key, it makes all sizes of a
/// bucket one tuning problem: the first size that a program meets is tuned, and the others use its choice.
/// Throws InvalidArgument for a size below 0 or beyond 2^62. Costs a few ns.
template <std::integral T>
constexpr std::int64_t bucket(T size) {
  constexpr std::int64_t largest = std::int64_t{1} << 62;
  if (std::cmp_less(size, 0) || std::cmp_greater(size, largest)) {
    throw InvalidArgument("bucket: a size is between 0 and 2^62");
  }
  return size == 0 ? 0 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
}

/// Returns the smallest multiple of `step` that is not below `size`, for large sizes that need finer buckets
/// than powers of two. Throws InvalidArgument for a size below 0 or beyond 2^62, or a step outside of 1 to
/// 2^62.
template <std::integral T, std::integral Step>
constexpr std::int64_t bucket(T size, Step step) {
  constexpr std::int64_t largest = std::int64_t{1} << 62;
  if (std::cmp_less(size, 0) || std::cmp_greater(size, largest) || std::cmp_less(step, 1) ||
      std::cmp_greater(step, largest)) {
    throw InvalidArgument("bucket: a size is between 0 and 2^62, and a step between 1 and 2^62");
  }
  const auto width = static_cast<std::int64_t>(step);
  return (static_cast<std::int64_t>(size) + width - 1) / width * width;
}

}  // namespace contextual
