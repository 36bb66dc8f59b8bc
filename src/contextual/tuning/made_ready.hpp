#pragma once

/// \file
/// Which config is being made ready outside of a tuning run.

#include "contextual/launch/run_context.hpp"

#include <mutex>
#include <optional>
#include <utility>

namespace contextual::tuning {

/// For the watchdog, which asks from its own thread. Thread-safe.
class MadeReady {
 public:
  /// While it lives, this config is being made ready.
  class Now {
   public:
    Now(MadeReady& made_ready, detail::CurrentLaunch config) : made_ready_(made_ready) {
      made_ready_.set(std::move(config));
    }
    Now(const Now&) = delete;
    Now& operator=(const Now&) = delete;
    ~Now() { made_ready_.set(std::nullopt); }

   private:
    MadeReady& made_ready_;
  };

  std::optional<detail::CurrentLaunch> config() const {
    const std::lock_guard lock(mutex_);
    return config_;
  }

 private:
  void set(std::optional<detail::CurrentLaunch> config) {
    const std::lock_guard lock(mutex_);
    config_ = std::move(config);
  }

  mutable std::mutex mutex_;
  std::optional<detail::CurrentLaunch> config_;
};

}  // namespace contextual::tuning
