#pragma once

/// \file
/// How do_bench clears a device's cache, without knowing devices. Not part of the public interface; the CUDA
/// part implements it.

#include <contextual/export.hpp>

namespace contextual::detail {

/// Clears the L2 caches of one device or of several. For one thread.
class CONTEXTUAL_API CacheClearing {
 public:
  CacheClearing() = default;
  CacheClearing(const CacheClearing&) = delete;
  CacheClearing& operator=(const CacheClearing&) = delete;
  virtual ~CacheClearing();

  /// Puts the clearing on a stream, and does not wait. Throws Error.
  virtual void clear() = 0;
  /// Keeps the destructor from freeing anything: a clearing that may never end still uses it.
  virtual void abandon() noexcept = 0;
};

}  // namespace contextual::detail
