#pragma once

#include <cuda.h>

#include <array>
#include <atomic>
#include <vector>

namespace contextual::cuda {

/// The contexts that a region used. Adding takes no lock; more than its capacity are an error told by
/// `overflow`.
class UsedContexts {
 public:
  void add(CUcontext context) noexcept {
    if (context == nullptr) {
      return;
    }
    for (std::atomic<CUcontext>& place : places_) {
      CUcontext there = place.load(std::memory_order_acquire);
      if (there == context ||
          (there == nullptr && place.compare_exchange_strong(there, context, std::memory_order_acq_rel)) ||
          there == context) {
        return;
      }
    }
  }
  std::vector<CUcontext> list() const {
    std::vector<CUcontext> contexts;
    for (const std::atomic<CUcontext>& place : places_) {
      if (CUcontext context = place.load(std::memory_order_acquire)) {
        contexts.push_back(context);
      }
    }
    return contexts;
  }

 private:
  std::array<std::atomic<CUcontext>, 64> places_{};  // devices of a node, several times over
};

}  // namespace contextual::cuda
