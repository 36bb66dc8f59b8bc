#pragma once

/// \file
/// Elements of buffers as numbers, and how two buffers differ.

#include <contextual/detail/measure/device_buffers.hpp>
#include <contextual/output.hpp>

#include <cstddef>

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

/// Returns what elements of the host add up to. The hash is another one than a device's.
detail::BlockSum sum_of(const std::byte* data, ElementType type, std::size_t count) noexcept;

}  // namespace contextual::measure
