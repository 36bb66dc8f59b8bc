#pragma once

/// \file
/// Makes the worker threads of a region part of it.

#include <contextual/export.hpp>

#include <cstdint>
#include <memory>

namespace contextual {

namespace detail {
struct ThreadLog;
class UsePass;
class RunContext;

/// The thread-local state that a launch reads.
struct ThreadState {
  ThreadLog* log = nullptr;    ///< set while a region is being tuned on this thread
  UsePass* use = nullptr;      ///< set during a call of a region that runs without tuning, see UsePass
  std::uint32_t region = 0;    ///< the active region's id, or 0 for none
  bool defaults_only = false;  ///< set in Mode::off: of the region's choices only those that are pinned
  bool in_hook = false;        ///< set in hooks between the calls of the region, which are no part of it
  std::uint64_t scope = 0;     ///< the alternatives around the launch, see scope_of; 0 for none
};

CONTEXTUAL_API ThreadState& thread_state() noexcept;
}  // namespace detail

/// Refers to the region that is active on the thread that calls `current`. Cheap to copy.
///
/// Valid until the current run of that region returns. The region must join its workers before it returns.
class CONTEXTUAL_API RegionContext {
 public:
  /// Returns the context of the calling thread. Outside a region it is empty, and its guards do nothing.
  static RegionContext current() noexcept;

 private:
  friend class ContextGuard;
  detail::ThreadState state_;
};

/// How the launches of a worker thread are compared across ranks.
enum class LaunchOrder {
  same,  ///< this thread launches the same kernels in the same order on every rank
  any,   ///< work is distributed dynamically: the launches of all such threads are compared as one set
};

/// Makes a worker thread part of a region as long as the guard lives.
///
/// Launches of a worker without a guard are not tuned. They are counted, and the log warns about them.
///
/// Construct and destroy the guard on the worker thread, within one run of the region. If a guard is alive
/// when the region returns, `run` throws Error. A later call of a wrapped region does not detect this: there,
/// such a guard is undefined behaviour. Cost: an allocation and a short lock.
class CONTEXTUAL_API ContextGuard {
 public:
  explicit ContextGuard(const RegionContext& context, LaunchOrder order = LaunchOrder::same);
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;
  ~ContextGuard();

 private:
  detail::ThreadState saved_;
  detail::ThreadState installed_;
  detail::RunContext* run_ = nullptr;  ///< the tuning run that counts this guard, or null
  detail::UsePass* use_ = nullptr;     ///< the run with nothing to tune that counts it, or null
};

}  // namespace contextual
