#pragma once

/// \file
/// What do_bench needs of devices, without knowing them. Not part of the public interface; the CUDA part sets
/// it when it makes a timer.

#include <contextual/detail/measure/cache_clearing.hpp>
#include <contextual/detail/measure/work_gathering.hpp>
#include <contextual/export.hpp>

#include <memory>
#include <span>

namespace contextual::detail {

struct BenchDevices {
  /// Returns true if what the stream gets goes into a graph instead of to a device, or if the current context
  /// has a capture that work on its default stream would end. Null is the default stream.
  bool (*captured)(void* stream) noexcept;
  /// Makes a clearing that puts its work on this stream, for the stream's device; of the calling thread's
  /// current device for null. Null if there is no device. Throws Error.
  std::unique_ptr<CacheClearing> (*clearing_on)(void* stream);
  /// Makes one for these devices, by their numbers. Null if one of them has no context in this process, or
  /// if there are none. Throws Error.
  std::unique_ptr<CacheClearing> (*clearing_of)(std::span<const int> devices);
  /// Null if the driver cannot do it. Throws Error.
  std::unique_ptr<WorkGathering> (*gathering)();
};

/// Sets those of the process; they must live as long. Thread-safe.
CONTEXTUAL_API void set_bench_devices(const BenchDevices* devices) noexcept;
/// Returns null if no part of the process knows devices. Thread-safe.
CONTEXTUAL_API const BenchDevices* bench_devices() noexcept;

}  // namespace contextual::detail
