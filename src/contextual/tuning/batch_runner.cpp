#include "contextual/tuning/batch_runner.hpp"

#include "contextual/tuning/region_pass.hpp"

#include <exception>

namespace contextual::tuning {

using detail::BatchFailure;
using detail::BatchPlan;

detail::BatchResult BatchRunner::run(const BatchPlan& plan, const std::function<void()>& region) {
  BatchFailure failure;
  iterations_.clear();
  iterations_.reserve(plan.length());
  try {
    for (std::size_t index = 0; index < plan.length(); ++index) {
      run_iteration(plan, index, region);
    }
  } catch (...) {
    failure = failure_of(std::current_exception());
  }
  return time_collector_.settle(plan, iterations_, failure);
}

void BatchRunner::run_iteration(const BatchPlan& plan, std::size_t index,
                                const std::function<void()>& region) {
  const std::int64_t tuning_iteration = plan.first_iteration + static_cast<std::int64_t>(index);
  context_.tuning_iteration = tuning_iteration;
  context_.batch_iteration = static_cast<std::uint32_t>(index);
  const IterationInfo info{context_.region(), plan.phases[index], tuning_iteration};
  run_between_hooks(Begins::with_restored_state, options_, watch_, context_.region_id(), info,
                    tuning_iteration, [&] {
                      IterationTiming timing;
                      timing.tuning_iteration = tuning_iteration;
                      detail::ThreadLog& log = context_.threads().front();
                      log.current.store(0, std::memory_order_relaxed);  // no launch yet in this one
                      {
                        const detail::ThreadStateScope scope({.log = &log, .region = context_.region_id()});
                        context_.timer().begin_iteration(tuning_iteration, timing.note);
                        region();
                        context_.timer().end_iteration(tuning_iteration, timing.note);
                      }
                      check_region_left_well();
                      iterations_.push_back(timing);
                    });
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
