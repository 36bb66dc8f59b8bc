#include "contextual/tuning/rejected_configs.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace contextual::tuning {

using agreement::BatchAgreement;
using detail::BatchPlan;
using detail::ProblemSlot;
using policy::RejectionOutcome;

namespace {

/// So often the region is run again because the final run rejected a choice.
constexpr int most_repeated_final_runs = 3;

std::exception_ptr pin_failure(const ProblemSlot& slot, const RejectionOutcome& rejection) {
  return std::make_exception_ptr(
      InvalidArgument(slot.found.pinned_by + " pins kernel \"" + slot.problem.name + "\", key " +
                      slot.problem.key_text + ", to config-" + std::to_string(rejection.config_id) +
                      ", which cannot be launched: " + rejection.reason + "; change the file or remove it"));
}

/// The problem has a candidate beside the default.
bool has_others(const policy::ProblemRecord& problem) {
  return std::any_of(problem.configs.begin() + 1, problem.configs.end(),
                     [](const auto& config) { return !config.left_out && !config.rejection; });
}

}  // namespace

std::vector<std::string> rejections_of_batch(detail::RunContext& context) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> texts;
  for (const detail::RejectedLaunch& launch : context.rejections()) {
    const detail::LocalRejection& rejection = launch.rejection;
    if (rejection.left_out || texts.size() == most_named) {
      continue;  // the default was launched all the same
    }
    texts.push_back("kernel \"" + launch.kernel + "\" " + launch.key + ": config-" +
                    std::to_string(rejection.config_id) + " " + launch.config.to_string() +
                    " was rejected before that (" + rejection.reason + ")" +
                    (rejection.of_assignment ? "" : ", and this rank launched another one in its place"));
  }
  return texts;
}

void RejectedConfigs::mark(const std::vector<RejectionOutcome>& rejections, const BatchPlan& plan) {
  for (const RejectionOutcome& rejection : rejections) {
    ProblemSlot& slot = *problems_.slots()[rejection.problem];
    if (rejection.left_out) {
      slot.found.left_out[rejection.config_id] = true;
    } else {
      slot.launched.rejected[rejection.config_id].store(true, std::memory_order_release);
    }
    recorder_.rejected(slot, rejection, plan);
    if (slot.found.locked_config == rejection.config_id && !slot.found.pinned_by.empty()) {
      pin_failure_ = pin_failure(slot, rejection);
    }
  }
}

bool RejectedConfigs::allow_another(const BatchAgreement::FinalRun& seen) const {
  return seen.rejected_anywhere && rejected_final_runs_ < most_repeated_final_runs;
}

bool RejectedConfigs::replace_choices(const BatchAgreement::FinalRun& seen, const BatchPlan& plan) {
  const bool again = allow_another(seen);
  rejected_final_runs_ += seen.rejected_anywhere ? 1 : 0;
  mark(seen.rejections, plan);
  std::set<std::size_t> replaced;  // a launch that fell back may reject more than the choice
  for (const RejectionOutcome& rejection : seen.rejections) {
    const bool stays = rejection.left_out && !has_others(problems_.state().problem(rejection.problem));
    if (!stays && problems_.state().reject_choice(rejection)) {
      replaced.insert(rejection.problem);
    }
  }
  for (const std::size_t problem : replaced) {
    if (!again) {
      problems_.state().make_provisional(
          problem, "its choices were rejected by " + std::to_string(rejected_final_runs_) + " final runs");
    }
  }
  return seen.wrong.empty() ? again : replace_wrong_choices(seen, again);
}

/// No config is to blame by itself. In the end, the first assignment that was right takes the place of all.
bool RejectedConfigs::replace_wrong_choices(const BatchAgreement::FinalRun& seen, bool again) {
  const std::string reason = "the final run was wrong: " + seen.wrong;
  recorder_.loud_warning(reason);
  policy::TuningState& state = problems_.state();
  const bool last = rejected_final_runs_ >= most_repeated_final_runs;
  if (again && state.reject_choices(reason, last ? policy::Replacement::first_that_was_right
                                                 : policy::Replacement::next_best)) {
    return true;
  }
  if (!seen.rejections.empty()) {
    return again;
  }
  for (std::size_t p = 0; p < problems_.slots().size(); ++p) {
    state.make_provisional(p, reason);
  }
  return false;
}

bool RejectedConfigs::end_run() const {
  return pin_failure_ != nullptr || problems_.failed();
}

void RejectedConfigs::throw_end_of_run(const std::string& region) const {
  if (pin_failure_) {
    std::rethrow_exception(pin_failure_);
  }
  problems_.throw_failed(region);
}

}  // namespace contextual::tuning
