#include "contextual/tuning/plain_run.hpp"

#include "contextual/agreement/settled_region.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/record/failure.hpp"
#include "contextual/tuning/abandoned.hpp"
#include "contextual/tuning/batch_runner.hpp"

#include <contextual/error.hpp>

#include <memory>

namespace contextual::tuning {
namespace {

using detail::UsePass;

/// The choice of a launch failed, and so did its fallback.
struct LaunchRejected {};

/// `rejected`: a launch of the region has found no config to use.
[[noreturn]] void rethrow(const std::exception_ptr& thrown, bool rejected) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ConfigRejected&) {
    if (rejected) {
      throw LaunchRejected();
    }
    throw;  // the region's own
  }
}

}  // namespace

bool PlainRun::execute(const std::function<void()>& region) {
  agreement::SettledOutcome outcome;
  try {
    outcome.something_new = run(region);
  } catch (const LaunchRejected&) {
    outcome.something_new = true;  // a choice that could be launched once cannot be any more
  } catch (...) {
    outcome.failure = {std::current_exception(), record::text_of(std::current_exception()), 0};
  }
  try {
    return agreement::agree_on_settled_run(exchange_, region_, outcome);
  } catch (...) {
    if (outcome.failure.thrown) {  // it takes precedence over the error that kept it from the others
      std::rethrow_exception(outcome.failure.thrown);
    }
    throw;
  }
}

bool PlainRun::run(const std::function<void()>& region) {
  const detail::ThreadStateScope hooks({.region = region_id_, .in_hook = true});
  const IterationInfo info{region_, Phase::final_run, 0};
  const auto watched = [&](Activity activity, const auto& step) {
    const Watchdog::Section section(watch_, {activity, Phase::final_run, 0});
    return step();
  };
  if (options_.before_iteration) {
    watched(Activity::before_iteration, [&] { options_.before_iteration(info); });
  }
  const bool something_new = watched(Activity::region, [&] { return call(region); });
  if (options_.after_iteration) {
    watched(Activity::after_iteration, [&] { options_.after_iteration(info); });
  }
  return something_new;
}

bool PlainRun::call(const std::function<void()>& region) {
  auto pass = std::make_unique<UsePass>(UsePass::Failures::are_watched,
                                        detail::namesakes_in(options_.communicator->process_scope()),
                                        UsePass::New::is_noted);
  std::exception_ptr thrown;
  {
    const detail::ThreadStateScope scope({.use = pass.get(), .region = region_id_});
    try {
      region();
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  const bool something_new = pass->new_on_all() || pass->new_elsewhere() || pass->rejected();
  const bool rejected = pass->rejected();
  const bool guard_lives = pass->has_live_guards();
  if (guard_lives) {
    abandon(std::move(pass));
  }
  if (thrown) {
    rethrow(thrown, rejected);
  }
  if (guard_lives) {
    throw_outlived_guard(region_);
  }
  return something_new;
}

}  // namespace contextual::tuning
