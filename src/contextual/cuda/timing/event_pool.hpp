#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <vector>

namespace contextual::cuda {

/// Event pairs of one context, made between batches. Taking a pair takes no lock and makes none; when all are
/// taken there is none, and `start_over` makes more.
class EventPool {
 public:
  /// Makes `pairs` pairs, and a base with a stream of its own. The context must be current. Throws CudaError,
  /// and leaves nothing behind then.
  EventPool(CUcontext context, std::size_t pairs);
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;
  /// Destroys the events, unless the driver is already gone.
  ~EventPool();

  CUcontext context() const noexcept { return context_; }

  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t take() noexcept;
  CUevent begin(std::size_t pair) const noexcept { return events_[2 * pair]; }
  CUevent end(std::size_t pair) const noexcept { return events_[2 * pair + 1]; }
  /// Where this context's clock stood; recorded on an idle stream, so it is past at once.
  CUevent base() const noexcept { return base_; }
  void record_base() noexcept;

  /// Between batches: how many pairs were asked for, those that were not there included. Forgets them.
  std::size_t start_over() noexcept { return asked_.exchange(0); }
  /// Between batches: makes more, until there are `pairs`. Throws CudaError.
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
