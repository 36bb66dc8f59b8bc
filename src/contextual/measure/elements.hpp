#pragma once

/// \file
/// Elements of buffers as numbers, and how two buffers differ.

#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/output.hpp>

#include <cstddef>
#include <cstdint>

namespace contextual::measure {

/// What is allowed by default, see ElementType.
double default_tolerance(ElementType type) noexcept;

/// Returns false for integers.
bool is_floating(ElementType type) noexcept;

/// Returns an element as a number. Integers of more than 53 bits are rounded.
double element(const std::byte* data, ElementType type, std::size_t index) noexcept;

/// Compares buffers of the host. Integers of which no difference is allowed are compared as they are.
detail::Differences compare(const std::byte* data, const std::byte* expected, std::size_t count,
                            ElementType type, const detail::Tolerance& tolerance) noexcept;

/// What a buffer of the host holds.
struct Content {
  double sum = 0;                ///< of the elements that are finite
  double magnitude = 0;          ///< the sum of the magnitudes of the elements that are finite
  std::uint64_t not_finite = 0;  ///< how many are not
  std::size_t nan_count = 0;     ///< 0 of integers
  std::size_t filled_count = 0;  ///< elements of which all bits are set
};
Content content_of(const std::byte* data, ElementType type, std::size_t count) noexcept;

}  // namespace contextual::measure
