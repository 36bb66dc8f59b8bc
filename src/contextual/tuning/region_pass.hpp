#pragma once

/// \file
/// One run of a region: with the user's hooks around it, and with what is locked in.

#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/phase.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// Whether a run begins with what Options::restore brings back, which was taken before.
enum class Begins { with_restored_state, with_what_is_there };
enum class RegionCame { to_its_end, not_to_its_end };

/// Runs `region` between the user's hooks, each of the three watched. It returns how far the region came.
/// Launches of the hooks are not part of the region; they use what is locked in for it. `tuning_iteration` is
/// what the watchdog names.
template <typename Region>
void run_between_hooks(Begins begins, const options::ResolvedOptions& options, const Watchdog::Watch& watch,
                       std::uint32_t region_id, const IterationInfo& info, std::int64_t tuning_iteration,
                       const Region& region) {
  const detail::ThreadStateScope hooks({.region = region_id, .in_hook = true});
  const auto watched = [&](Activity activity, const auto& step) {
    const Watchdog::Section section(watch, {activity, info.phase, tuning_iteration});
    step();
  };
  if (begins == Begins::with_restored_state && options.copies) {
    watched(Activity::before_iteration, [&] { options.copies->bring_back(); });
  }
  if (options.before_iteration) {
    watched(Activity::before_iteration, [&] { options.before_iteration(info); });
  }
  auto came = RegionCame::to_its_end;
  watched(Activity::region, [&] { came = region(); });
  if (options.after_iteration && came == RegionCame::to_its_end) {
    watched(Activity::after_iteration, [&] { options.after_iteration(info); });
  }
}

/// What such a run has shown on this rank.
struct RegionPass {
  std::exception_ptr thrown;   ///< null if the region has returned
  bool something_new = false;  ///< a launch without a lasting choice, or a choice that was rejected
  bool rejected = false;       ///< a choice that was rejected
  bool refused = false;        ///< that is what was thrown: a launch has found no config to use
};

/// Runs a region in the state `state`, whose `use` it sets.
RegionPass run_in_pass(const std::function<void()>& region, detail::ThreadState state, detail::UsePass& use);

/// What happens if a choice fails to launch: see detail::UsePass.
enum class FailedChoice { is_the_callers, is_noted };

/// The same for a region of the tuner of these options: with what is locked in, untimed. A `run` inside is
/// part of it. Throws Error if the region returned while a thread held a ContextGuard.
RegionPass run_locked_in(const std::function<void()>& region, const std::string& name,
                         detail::ThreadState state, FailedChoice failed,
                         const options::ResolvedOptions& options);

/// Of a region that returned too early.
[[noreturn]] void throw_outlived_guard(const std::string& region);

/// Keeps an object for good, because a thread may still use it. Thread-safe.
template <typename T>
void abandon(std::unique_ptr<T> object) {
  static std::mutex mutex;
  static auto* const abandoned = new std::vector<std::unique_ptr<T>>;
  const std::lock_guard lock(mutex);
  abandoned->push_back(std::move(object));
}

}  // namespace contextual::tuning
