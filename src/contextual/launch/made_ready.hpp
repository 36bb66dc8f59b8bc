#pragma once

/// \file
/// Makes configs ready between runs of a region, and says which one is being made ready.

#include <contextual/config.hpp>
#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>

namespace contextual::detail {

/// A launch, or a config that is being made ready.
struct CurrentLaunch {
  std::string kernel;
  std::string key;
  std::size_t config_id = 0;
  Config config;
  bool under_way = false;
};

/// The watchdog asks from its own thread. Thread-safe.
class MadeReady {
 public:
  /// See KernelCore::load_first.
  void load_first(const KernelCore& kernel);
  /// Calls the kernel's `load`, if it has one; `key` may be null. Returns why the config cannot be loaded, or
  /// an empty text. Throws DeviceError, for which no config is to blame, and what `KernelCore::space` throws.
  std::string load(const KernelCore& kernel, std::size_t config_id, const Key* key,
                   const std::string& key_text);

  /// Returns what is being made ready, or nothing.
  std::optional<CurrentLaunch> config() const {
    const std::lock_guard lock(mutex_);
    return config_;
  }

 private:
  class Now;

  mutable std::mutex mutex_;
  std::optional<CurrentLaunch> config_;
};

}  // namespace contextual::detail
