#include "contextual/tuning/batch_runner.hpp"

#include "contextual/launch/exception_text.hpp"
#include "contextual/tuning/region_pass.hpp"

#include <algorithm>
#include <exception>

namespace contextual::tuning {

using detail::BatchFailure;
using detail::BatchPlan;

namespace {

/// The iteration uses another assignment than the defaults, and it is not chosen yet.
bool is_candidate(const BatchPlan& plan, std::size_t index, const Assignment& defaults) {
  if (plan.kind != detail::BatchKind::tuning) {
    return false;
  }
  const auto& cells = plan.iterations[index].cells;
  return !std::equal(cells.begin(), cells.end(), defaults.begin(), defaults.end(),
                     [](const auto& cell, std::size_t config_id) { return cell.config_id == config_id; });
}

}  // namespace

detail::BatchResult BatchRunner::run(const BatchPlan& plan, const Assignment& defaults,
                                     std::chrono::nanoseconds head_start,
                                     const std::function<void()>& region) {
  BatchFailure failure;
  iterations_.clear();
  iterations_.reserve(plan.length());
  out_of_memory_.clear();
  defaults_ = defaults;
  context_.tuning_iteration = plan.first_iteration;
  try {
    if (plan.kind != detail::BatchKind::discovery) {
      const bool launches_timed = plan.phase() != Phase::search;  // a batch is of one phase
      context_.timer().begin_batch({std::chrono::steady_clock::now(), head_start, launches_timed});
    }
    for (std::size_t index = 0; index < plan.length(); ++index) {
      run_iteration(plan, index, region);
    }
  } catch (...) {
    failure = failure_of(std::current_exception());
    if (const std::string launch = context_.launch_that_threw(failure.thrown); !launch.empty()) {
      failure.cause = "the launcher of " + launch + " threw: " + failure.cause;
      failure.of_launcher = true;
    }
  }
  detail::BatchResult result = time_collector_.settle(plan, iterations_, failure);
  result.out_of_memory = out_of_memory_;
  result.wanted_head_start = context_.timer().wanted_head_start();
  return result;
}

void BatchRunner::run_iteration(const BatchPlan& plan, std::size_t index,
                                const std::function<void()>& region) {
  const std::int64_t tuning_iteration = plan.first_iteration + static_cast<std::int64_t>(index);
  context_.tuning_iteration = tuning_iteration;
  context_.batch_iteration = static_cast<std::uint32_t>(index);
  const IterationInfo info{context_.region(), plan.phases[index], tuning_iteration};
  run_between_hooks(
      Begins::with_restored_state, options_, watch_, context_.region_id(), info, tuning_iteration, [&] {
        IterationTiming timing;
        timing.tuning_iteration = tuning_iteration;
        detail::ThreadLog& log = context_.threads().front();
        log.current.store(0, std::memory_order_relaxed);  // no launch yet in this one
        {
          const detail::ThreadStateScope scope({.log = &log, .region = context_.region_id()});
          context_.timer().begin_iteration(tuning_iteration, timing.note);
          run_region(plan, index, region);
          context_.timer().end_iteration(tuning_iteration, timing.note);
        }
        check_region_left_well();
        iterations_.push_back(timing);
        return out_of_memory_.contains(index) ? RegionCame::not_to_its_end : RegionCame::to_its_end;
      });
}

/// Where memory runs out for a candidate, this rank goes on: the others may be in their next iterations.
void BatchRunner::run_region(const BatchPlan& plan, std::size_t index, const std::function<void()>& region) {
  try {
    region();
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    if (context_.failure() || !is_candidate(plan, index, defaults_) || !context_.is_out_of_memory(thrown)) {
      throw;
    }
    out_of_memory_[index] = thrown;
  }
}

void BatchRunner::check_region_left_well() {
  if (context_.has_live_guards()) {
    throw_outlived_guard(context_.region());
  }
  if (const std::exception_ptr failure = context_.failure()) {
    std::rethrow_exception(failure);  // the region caught what the launch threw
  }
}

}  // namespace contextual::tuning
