#include "contextual/tuning/batch_runner.hpp"

#include "contextual/record/failure.hpp"

#include <contextual/error.hpp>

namespace contextual::tuning {

using detail::BatchFailure;
using detail::BatchPlan;

BatchFailure failure_of(const std::exception_ptr& thrown) {
  BatchFailure failure{thrown, record::text_of(thrown)};
  try {
    std::rethrow_exception(thrown);
  } catch (const TuningFailedError&) {
    failure.tuning_failed = true;
  } catch (...) {
    failure.tuning_failed = false;
  }
  return failure;
}

void throw_outlived_guard(const std::string& region) {
  throw Error("region \"" + region +
              "\" returned while a thread held a ContextGuard: a guard lives within one run of the region, "
              "so that its thread makes a new one each time");
}

void BatchRunner::begin_batch(const BatchPlan& plan) {
  iterations_.clear();
  iterations_.reserve(plan.length());
  failure_ = {};
}

bool BatchRunner::begin_iteration(const BatchPlan& plan) {
  const std::size_t index = iterations_.size();
  const std::int64_t tuning_iteration = plan.first_iteration + static_cast<std::int64_t>(index);
  context_.tuning_iteration = tuning_iteration;
  context_.batch_iteration = static_cast<std::uint32_t>(index);
  timing_ = {};
  timing_.tuning_iteration = tuning_iteration;
  // Launches of the hooks are not part of what is tuned; they use what is locked in for the region.
  hooks_.emplace(detail::ThreadState{.region = context_.region_id(), .in_hook = true});
  try {
    if (options_.before_iteration) {
      const Watchdog::Section section(watch_,
                                      {Activity::before_iteration, plan.phases[index], tuning_iteration});
      options_.before_iteration({context_.region(), plan.phases[index], tuning_iteration});
    }
    context_.threads().front().current.store(0, std::memory_order_relaxed);  // no launch yet in this one
    watched_.emplace(watch_, Watchdog::Place{Activity::region, plan.phases[index], tuning_iteration});
    region_.emplace(detail::ThreadState{.log = &context_.threads().front(), .region = context_.region_id()});
    context_.timer().begin_iteration(tuning_iteration, timing_.note);
  } catch (...) {
    end_iteration(plan, std::current_exception());
    return false;
  }
  return true;
}

void BatchRunner::end_iteration(const BatchPlan& plan, std::exception_ptr thrown) {
  const std::size_t index = iterations_.size();
  try {
    if (!thrown) {
      context_.timer().end_iteration(timing_.tuning_iteration, timing_.note);
    }
    region_.reset();
    watched_.reset();
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    check_region_left_well();
    iterations_.push_back(timing_);
    if (options_.after_iteration) {
      const Watchdog::Section section(
          watch_, {Activity::after_iteration, plan.phases[index], timing_.tuning_iteration});
      options_.after_iteration({context_.region(), plan.phases[index], timing_.tuning_iteration});
    }
  } catch (...) {
    region_.reset();
    watched_.reset();
    failure_ = failure_of(std::current_exception());
  }
  hooks_.reset();
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
