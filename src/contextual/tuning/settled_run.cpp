#include "contextual/tuning/settled_run.hpp"

#include "contextual/agreement/settled_region.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/record/failure.hpp"

#include <contextual/error.hpp>

namespace contextual::tuning {

bool SettledRun::execute(const std::function<void()>& region) {
  agreement::SettledOutcome outcome;
  try {
    const detail::ThreadStateScope hooks({.region = region_id_});
    const IterationInfo info{region_, Phase::final_run, 0};
    if (options_.before_iteration) {
      options_.before_iteration(info);
    }
    outcome.something_new = call(region);
    if (options_.after_iteration) {
      options_.after_iteration(info);
    }
  } catch (const ConfigRejected&) {
    outcome.something_new = true;  // a choice that could be launched once cannot be any more
  } catch (...) {
    outcome.failure = {std::current_exception(), record::text_of(std::current_exception()), 0};
  }
  return agreement::agree_on_settled_run(exchange_, region_, outcome);
}

bool SettledRun::call(const std::function<void()>& region) const {
  detail::UsePass pass(detail::UsePass::Failures::are_watched);
  {
    const detail::ThreadStateScope scope({.use = &pass, .region = region_id_});
    region();
  }
  return pass.new_on_all() || pass.new_elsewhere() || pass.rejected();
}

}  // namespace contextual::tuning
