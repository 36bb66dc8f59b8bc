#pragma once

/// \file
/// How do_bench clears a device's cache, without knowing devices. Not part of the public interface; the CUDA
/// part implements it.

#include <contextual/export.hpp>

#include <memory>

namespace contextual::detail {

/// Clears the L2 cache of one device. For one thread.
class CONTEXTUAL_API CacheClearing {
 public:
  CacheClearing() = default;
  CacheClearing(const CacheClearing&) = delete;
  CacheClearing& operator=(const CacheClearing&) = delete;
  virtual ~CacheClearing();

  /// Puts the clearing on the stream, and does not wait. Throws Error.
  virtual void clear() = 0;
  /// Keeps the destructor from freeing anything: a clearing that may never end still uses it.
  virtual void abandon() noexcept = 0;
};

/// Makes one that puts its work on this stream, for the stream's device; of the calling thread's current
/// device for null. Null if there is no device. Throws Error.
using CacheClearingFactory = std::unique_ptr<CacheClearing> (*)(void* stream);

/// Sets the factory of the process. Thread-safe.
CONTEXTUAL_API void set_cache_clearing(CacheClearingFactory factory) noexcept;
/// Returns the factory, or null if no part of the process knows devices. Thread-safe.
CONTEXTUAL_API CacheClearingFactory cache_clearing() noexcept;

}  // namespace contextual::detail
