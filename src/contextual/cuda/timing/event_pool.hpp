#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <vector>

namespace contextual::cuda {

/// Event pairs of one context, which are made between batches. Taking a pair takes no lock and makes no
/// event. If all pairs are taken, there is none; `start_over` tells how many were asked for, and `make` adds
/// more.
class EventPool {
 public:
  /// Makes `pairs` pairs, and a base event with a stream of its own. The context must be current. If it
  /// throws CudaError, it leaves nothing behind.
  EventPool(CUcontext context, std::size_t pairs);
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  /// Destroys the events, unless the driver is already gone.
  ~EventPool();

  CUcontext context() const noexcept { return context_; }
  CUstream stream() const noexcept { return stream_; }  ///< of its own, which waits for no other

  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t take() noexcept;
  CUevent begin(std::size_t pair) const noexcept { return events_[2 * pair]; }
  CUevent end(std::size_t pair) const noexcept { return events_[2 * pair + 1]; }
  /// Returns the event that marks the begin of a batch on this context's clock. It is recorded on an idle
  /// stream, so it completes at once.
  CUevent base() const noexcept { return base_; }
  void record_base() noexcept;

  /// Makes all pairs available again, and returns how many were asked for, including those that were not
  /// available. Call it between batches.
  std::size_t start_over() noexcept { return asked_.exchange(0); }
  /// Makes more pairs, until there are `pairs`. Throws CudaError. Call it between batches.
  void make(std::size_t pairs);

 private:
  void destroy() noexcept;

  CUcontext context_;
  CUstream stream_ = nullptr;
  CUevent base_ = nullptr;
  std::vector<CUevent> events_;
  std::atomic<std::size_t> asked_{0};
};

}  // namespace contextual::cuda
