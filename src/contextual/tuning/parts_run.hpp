#pragma once

/// \file
/// Times the parts of a region in turn with the whole, when everything is locked in.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/part_time.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/limit_event.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/timer.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <vector>

namespace contextual::tuning {

/// Runs rounds in which every part and the whole region have one turn, in an order that changes with each
/// round, so that a drift cancels. A turn is two runs back to back, of which the second one counts, and an
/// exchange, right after which the next turn has the head start that the region's batches had. Tunable
/// kernels use what is locked in for the region, and are not timed by themselves. One thread uses it.
class PartsRun {
 public:
  /// `failing` is called with what a turn has thrown on this rank, before the other ranks are told.
  PartsRun(const options::ResolvedOptions& options, detail::RunContext& context, Watchdog& watchdog,
           agreement::Exchange& exchange, std::chrono::nanoseconds head_start,
           std::function<void(const std::exception_ptr&)> failing);

  static int rounds_of(const options::ResolvedOptions& options);

  /// Collective. Throws on all ranks if the region or a part threw on one.
  LimitReport measure(const std::function<void()>& region);

 private:
  std::optional<std::int64_t> turn(const std::function<void()>& call);
  std::optional<std::int64_t> timed(const std::function<void()>& call);
  IterationTiming run(const std::function<void()>& call);
  void launch(const std::function<void()>& call);

  const options::ResolvedOptions& options_;
  detail::RunContext& context_;
  Watchdog& watchdog_;
  agreement::Exchange& exchange_;
  std::chrono::nanoseconds head_start_;
  std::function<void(const std::exception_ptr&)> failing_;
  std::size_t turns_ = 0;
  std::int64_t runs_ = 0;
};

}  // namespace contextual::tuning
