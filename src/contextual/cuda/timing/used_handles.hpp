#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

namespace contextual::cuda {

/// A small set of the driver's handles. Adding takes no lock and does not allocate.
template <typename Handle>
class UsedHandles {
 public:
  static constexpr std::size_t capacity = 64;

  /// Adds a handle; ignores null. Cheapest for the first one, which is the only one of most regions.
  void add(Handle handle) noexcept {
    if (handle != places_[0].load(std::memory_order_acquire)) [[unlikely]] {
      add_another(handle);
    }
  }
  /// Returns each handle once. Beyond the capacity, handles are missing, see `overflowed`.
  std::vector<Handle> known() const {
    std::vector<Handle> handles;
    for (const std::atomic<Handle>& place : places_) {
      if (Handle handle = place.load(std::memory_order_acquire)) {
        handles.push_back(handle);
      }
    }
    return handles;
  }
  bool overflowed() const noexcept { return overflowed_.load(std::memory_order_acquire); }
  /// Forgets all handles. What another thread adds meanwhile may be forgotten, too.
  void clear() noexcept {
    for (std::atomic<Handle>& place : places_) {
      place.store(nullptr, std::memory_order_release);
    }
    overflowed_.store(false, std::memory_order_release);
  }

 private:
  [[gnu::noinline]] void add_another(Handle handle) noexcept {
    if (handle == nullptr) {
      return;
    }
    for (std::atomic<Handle>& place : places_) {
      Handle there = place.load(std::memory_order_acquire);
      if (there == nullptr) {
        place.compare_exchange_strong(there, handle, std::memory_order_acq_rel);
      }
      if (there == nullptr || there == handle) {
        return;  // added by this thread, or already there, perhaps just added by another thread
      }
    }
    overflowed_.store(true, std::memory_order_release);
  }

  std::array<std::atomic<Handle>, capacity> places_{};
  std::atomic<bool> overflowed_{false};
};

}  // namespace contextual::cuda
