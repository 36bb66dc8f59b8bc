#include "contextual/tuning/plain_run.hpp"

#include "contextual/agreement/settled_region.hpp"
#include "contextual/record/failure.hpp"
#include "contextual/tuning/region_pass.hpp"

#include <contextual/error.hpp>

namespace contextual::tuning {
namespace {

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
  bool something_new = false;
  run_between_hooks(options_, watch_, region_id_, {region_, Phase::final_run, 0}, 0, [&] {
    const RegionPass pass =
        run_locked_in(region, region_, {.region = region_id_}, FailedChoice::is_noted, options_);
    if (pass.thrown) {
      rethrow(pass.thrown, pass.rejected);
    }
    something_new = pass.something_new;
  });
  return something_new;
}

}  // namespace contextual::tuning
