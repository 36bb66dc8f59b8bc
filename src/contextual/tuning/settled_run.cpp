#include "contextual/tuning/settled_run.hpp"

#include "contextual/agreement/settled_region.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"
#include "contextual/record/failure.hpp"
#include "contextual/tuning/batch_runner.hpp"
#include "contextual/tuning/blocked_rank.hpp"

#include <contextual/error.hpp>

#include <memory>
#include <mutex>
#include <vector>

namespace contextual::tuning {
namespace {

using detail::UsePass;

/// A thread may still launch into it, so it is kept for good.
void abandon(std::unique_ptr<UsePass> pass) {
  static std::mutex mutex;
  static auto* const abandoned = new std::vector<std::unique_ptr<UsePass>>;
  const std::lock_guard lock(mutex);
  abandoned->push_back(std::move(pass));
}

}  // namespace

bool SettledRun::execute(const std::function<void()>& region) {
  agreement::SettledOutcome outcome;
  try {
    outcome.something_new = run(region);
  } catch (const ConfigRejected&) {
    outcome.something_new = true;  // a choice that could be launched once cannot be any more
  } catch (...) {
    outcome.failure = {std::current_exception(), record::text_of(std::current_exception()), 0};
  }
  return agreement::agree_on_settled_run(exchange_, region_, outcome);
}

bool SettledRun::run(const std::function<void()>& region) {
  const detail::ThreadStateScope hooks({.region = region_id_});
  const IterationInfo info{region_, Phase::final_run, 0};
  if (options_.before_iteration) {
    watched(Activity::before_iteration, [&] { options_.before_iteration(info); });
  }
  bool something_new = false;
  watched(Activity::region, [&] { something_new = call(region); });
  if (options_.after_iteration) {
    watched(Activity::after_iteration, [&] { options_.after_iteration(info); });
  }
  return something_new;
}

bool SettledRun::call(const std::function<void()>& region) {
  auto pass = std::make_unique<UsePass>(UsePass::Failures::are_watched,
                                        detail::namesakes_in(options_.communicator->process_scope()));
  {
    const detail::ThreadStateScope scope({.use = pass.get(), .region = region_id_});
    try {
      region();
    } catch (...) {
      if (pass->has_live_guards()) {
        abandon(std::move(pass));
      }
      throw;
    }
  }
  if (pass->has_live_guards()) {
    abandon(std::move(pass));
    throw_outlived_guard(region_);
  }
  return pass->new_on_all() || pass->new_elsewhere() || pass->rejected();
}

template <typename Step>
void SettledRun::watched(Activity activity, const Step& step) {
  const CallWatch::Call call{
      options_.deadline, options_.grace, [&, activity](std::chrono::nanoseconds blocked_for) {
        return blocked_call_actions(options_, {region_, last_run_id_, activity, true}, blocked_for);
      }};
  const Watchdog::Pause outer_run;
  const CallWatch::Section section(watch_, call);
  step();
}

}  // namespace contextual::tuning
