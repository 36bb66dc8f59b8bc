#pragma once

/// \file
/// Carries a region's context to its worker threads.

#include <contextual/export.hpp>

#include <cstdint>
#include <memory>

namespace contextual {

namespace detail {
struct ThreadLog;
class UsePass;
class RunContext;

/// What a launch reads of its thread. `log` is set while a region is being tuned on this thread.
struct ThreadState {
  ThreadLog* log = nullptr;
  UsePass* use = nullptr;      ///< a wrapped region's later call
  std::uint32_t region = 0;    ///< 0: none
  bool defaults_only = false;  ///< mode off
};

CONTEXTUAL_API ThreadState& thread_state() noexcept;
}  // namespace detail

/// The context of the region that is active on the thread that made it; cheap to copy.
///
/// Valid until that run of the region returns: a region joins its workers before it returns.
class CONTEXTUAL_API RegionContext {
 public:
  /// Of the calling thread. Outside a region: an empty context, whose guards do nothing.
  static RegionContext current() noexcept;

 private:
  friend class ContextGuard;
  detail::ThreadState state_;
};

/// How the launches of a worker thread are compared across ranks.
enum class LaunchOrder {
  same,  ///< this thread launches the same kernels in the same order on every rank
  any,   ///< work is handed out dynamically: only the launches of all such threads together are compared
};

/// Makes a worker thread part of the region while it lives.
///
/// Without it the launches of a worker are not tuned; they are counted, and the log warns about them.
/// Construct and destroy on the worker thread, within one run of the region: a guard that is alive when the
/// region returns ends the tuning with Error. In a later call of a wrapped region this is not detected: the
/// behaviour is undefined there. Allocates; takes a lock briefly.
class CONTEXTUAL_API ContextGuard {
 public:
  explicit ContextGuard(const RegionContext& context, LaunchOrder order = LaunchOrder::same);
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;
  ~ContextGuard();

 private:
  detail::ThreadState saved_;
  detail::ThreadState installed_;
  detail::RunContext* run_ = nullptr;  ///< with a log of its own there
  detail::UsePass* use_ = nullptr;     ///< that counts its guards
};

}  // namespace contextual
