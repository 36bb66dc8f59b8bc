#pragma once

/// \file
/// What a tuning run does with buffers of devices, without knowing them. Not part of the public interface;
/// the CUDA part sets it when it is loaded.

#include <contextual/export.hpp>
#include <contextual/output.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace contextual::detail {

/// How elements may differ from what is expected; both are not negative.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

/// How the elements of a buffer differ from what is expected.
struct Differences {
  std::size_t count = 0;     ///< of the elements that do
  std::size_t first = 0;     ///< not meaningful if there are none
  double largest_error = 0;  ///< of all elements; infinite where one of two is NaN
};

/// What a block of elements adds up to. Equal bits have an equal hash.
struct BlockSum {
  double sum = 0;
  double magnitude = 0;            ///< the sum of the magnitudes
  std::uint64_t hash = 0;          ///< of the bits and their places
  std::uint64_t not_finite = 0;    ///< how many elements are NaN or infinite, which both sums leave out
  std::uint64_t nan_count = 0;     ///< how many of these are NaN
  std::uint64_t filled_count = 0;  ///< elements of which all bits are set
};

/// The functions throw Error. They are called between two runs of a region, and leave the calling thread's
/// current device as it is. All but `copy_in_order` wait for what they do.
struct DeviceBuffers {
  /// Returns true if the memory is a device's, or may be.
  bool (*owns)(const void* data) noexcept;
  /// Waits for all work of the devices that the process uses.
  void (*wait)();
  void (*fill)(void* data, unsigned char byte, std::size_t size_bytes);
  /// Each side may be a device's or the host's memory, at least one is a device's.
  void (*copy)(void* to, const void* from, std::size_t size_bytes);
  /// Copies from device to device, on the devices after all work that was submitted before it, and before all
  /// that is submitted after it. Waits where the driver cannot order it.
  void (*copy_in_order)(void* to, const void* from, std::size_t size_bytes);
  /// Returns memory of the device that owns `data`. Throws Error where it is out of memory.
  std::shared_ptr<std::byte> (*memory_beside)(const void* data, std::size_t size_bytes);
  /// Returns memory for a copy that the device which owns `data` can read: its own, unless that would take
  /// more than an eighth of what is free there, else the host's.
  std::shared_ptr<std::byte> (*memory_to_compare)(const void* data, std::size_t size_bytes);
  /// `expected` is of `memory_to_compare`.
  Differences (*compare)(const void* data, const void* expected, std::size_t count, ElementType type,
                         const Tolerance& tolerance);
  /// Of each block of so many elements, in order; the last one may be shorter.
  std::vector<BlockSum> (*sums)(const void* data, std::size_t count, ElementType type,
                                std::size_t block_elements);
};

/// Sets those of the process; they must live as long. Thread-safe.
CONTEXTUAL_API void set_device_buffers(const DeviceBuffers* buffers) noexcept;
/// Returns null if no part of the process knows devices. Thread-safe.
CONTEXTUAL_API const DeviceBuffers* device_buffers() noexcept;

/// Returns the table if the memory is a device's, else null.
CONTEXTUAL_API const DeviceBuffers* device_of(const void* data) noexcept;

}  // namespace contextual::detail
