#pragma once

#include <contextual/error.hpp>

#include <cuda.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

namespace contextual::cuda {

/// The contexts that a region used. Adding takes no lock.
class UsedContexts {
 public:
  static constexpr std::size_t capacity = 64;  ///< several times the number of devices of a node

  /// Adds a context; ignores null. Cheapest for the first context, which is the only one of most regions.
  void add(CUcontext context) noexcept {
    if (context != places_[0].load(std::memory_order_acquire)) [[unlikely]] {
      add_another(context);
    }
  }
  /// Returns each context once. Throws Error if there were more than the capacity.
  std::vector<CUcontext> all() const {
    if (overflowed_.load(std::memory_order_acquire)) {
      throw Error("the region used more than " + std::to_string(capacity) + " CUDA contexts");
    }
    std::vector<CUcontext> contexts;
    for (const std::atomic<CUcontext>& place : places_) {
      if (CUcontext context = place.load(std::memory_order_acquire)) {
        contexts.push_back(context);
      }
    }
    return contexts;
  }
  /// Forgets all contexts. Must not be called while another thread adds one.
  void clear() noexcept {
    for (std::atomic<CUcontext>& place : places_) {
      place.store(nullptr, std::memory_order_release);
    }
    overflowed_.store(false, std::memory_order_release);
  }

 private:
  [[gnu::noinline]] void add_another(CUcontext context) noexcept {
    if (context == nullptr) {
      return;
    }
    for (std::atomic<CUcontext>& place : places_) {
      CUcontext there = place.load(std::memory_order_acquire);
      if (there == nullptr) {
        place.compare_exchange_strong(there, context, std::memory_order_acq_rel);
      }
      if (there == nullptr || there == context) {
        return;  // added by this thread, or already there, perhaps just added by another thread
      }
    }
    overflowed_.store(true, std::memory_order_release);
  }

  std::array<std::atomic<CUcontext>, capacity> places_{};
  std::atomic<bool> overflowed_{false};
};

}  // namespace contextual::cuda
