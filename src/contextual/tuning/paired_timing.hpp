#pragma once

/// \file
/// Times runs of a region, or of something that is compared with it, when everything is locked in.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/region_agreement.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/timer.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace contextual::tuning {

/// The configs of a turn. What is pinned is pinned in both.
enum class TurnUses { what_is_locked_in, defaults };

/// A turn is two runs back to back, of which the last one counts, and an exchange, right after which the
/// next turn has the head start that the region's batches had. Tunable kernels are not timed by themselves.
/// One thread uses it.
class PairedTiming {
 public:
  /// `failing` is called with what a turn has thrown on this rank, before the other ranks are told.
  PairedTiming(const options::ResolvedOptions& options, detail::RunContext& context,
               const Watchdog::Watch& watch, agreement::Exchange& exchange,
               std::chrono::nanoseconds head_start, std::function<void(const std::exception_ptr&)> failing);

  /// Returns the makespan of the slowest rank, or nothing if one has no valid time. Collective. Throws on all
  /// ranks if the call threw on one.
  std::optional<std::int64_t> turn(const std::function<void()>& call, TurnUses uses) {
    return turn(call, uses, runs_of_turn);
  }
  /// A turn of one run, for its effect and its value: with what is locked in. As `turn`.
  void run_once(const std::function<void()>& call) { turn(call, TurnUses::what_is_locked_in, 1); }

 private:
  static constexpr std::size_t runs_of_turn = 2;  ///< the first makes caches and ranks ready for the second

  std::optional<std::int64_t> turn(const std::function<void()>& call, TurnUses uses, std::size_t runs);
  std::optional<std::int64_t> timed(const std::function<void()>& call, TurnUses uses, std::size_t runs);
  IterationTiming run(const std::function<void()>& call, TurnUses uses);

  const options::ResolvedOptions& options_;
  detail::RunContext& context_;
  const Watchdog::Watch& watch_;
  agreement::Exchange& exchange_;
  std::chrono::nanoseconds head_start_;
  std::function<void(const std::exception_ptr&)> failing_;
  std::size_t turns_ = 0;
  std::int64_t runs_ = 0;
};

/// Returns the number of rounds in which parts, or kept choices, are timed in turn with something else.
int rounds_of_turns(const options::ResolvedOptions& options);

/// Times the parts of the options and the whole region `name`, with what is locked in. All have one turn in
/// each round, in an order that changes with each round, so that a drift cancels. Collective. Throws on all
/// ranks if the region or a part threw on one.
LimitReport time_parts(const options::ResolvedOptions& options, PairedTiming& turns, const std::string& name,
                       const std::function<void()>& region);

}  // namespace contextual::tuning
