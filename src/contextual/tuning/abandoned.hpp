#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Keeps an object for good, because a thread may still use it. Thread-safe.
template <typename T>
void abandon(std::unique_ptr<T> object) {
  static std::mutex mutex;
  static auto* const abandoned = new std::vector<std::unique_ptr<T>>;
  const std::lock_guard lock(mutex);
  abandoned->push_back(std::move(object));
}

}  // namespace contextual::tuning
