#include "contextual/tuning/assignment_checks.hpp"

#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/tuning/time_collector.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <exception>
#include <functional>

namespace contextual::tuning {

using detail::BatchKind;
using detail::BatchPlan;
using detail::BatchResult;
using detail::ChecksOfKernels;
using detail::ProblemSlot;

namespace {

using Verify = std::function<bool(const IterationInfo&)>;

/// `whose`: in the text.
std::string verdict_of(const Verify& verify, const IterationInfo& info, const std::string& whose) {
  try {
    return verify(info) ? "" : "`verify`" + whose + " returned false";
  } catch (const ConfigRejected& rejected) {
    return "`verify`" + whose + ": " + rejected.what();
  }
}

}  // namespace

AssignmentChecks::AssignmentChecks(const options::ResolvedOptions& options, detail::RunContext& context,
                                   const agreement::ProblemSet& problems, const Watchdog::Watch& watch)
    : options_(options), context_(context), problems_(problems), watch_(watch), outputs_(options, context) {
  refresh();
}

/// Notes which of the problems that have not joined yet have a registered `verify`, or outputs.
void AssignmentChecks::note_verified() {
  for (ProblemSlot& slot : context_.slots()) {
    for (const auto& checks : registered_) {
      const bool judged = checks->checks.verify || !checks->checks.outputs.empty();
      if (!slot.joined() && judged && checks->concern(slot.problem.name)) {
        slot.found.has_verify = true;
      }
    }
  }
}

bool AssignmentChecks::feasible(const Assignment& assignment) const {
  if (!options_.feasible && registered_.empty()) {
    return true;
  }
  std::vector<AssignedConfig> all;
  all.reserve(assignment.size());
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const ProblemSlot& slot = *problems_.slots()[p];
    all.push_back(
        {slot.problem.name, slot.problem.key_text, assignment[p],
         slot.found.members.empty() ? nullptr : &slot.found.members.front()->space().configs[assignment[p]]});
  }
  if (options_.feasible && !options_.feasible(all)) {
    return false;
  }
  return std::all_of(registered_.begin(), registered_.end(), [&all](const auto& checks) {
    if (!checks->checks.feasible) {
      return true;
    }
    std::vector<AssignedConfig> concerned;
    std::copy_if(all.begin(), all.end(), std::back_inserter(concerned),
                 [&](const AssignedConfig& config) { return checks->concern(config.kernel); });
    return concerned.empty() || checks->checks.feasible(concerned);
  });
}

bool AssignmentChecks::allow_defaults() const {
  Assignment defaults;
  for (const ProblemSlot* slot : problems_.slots()) {
    defaults.push_back(slot->found.pinned_by.empty() ? 0 : slot->found.locked_config.value_or(0));
  }
  return feasible(defaults);
}

bool AssignmentChecks::launched(const ChecksOfKernels& checks, const BatchResult& result) const {
  const auto& slots = context_.slots();
  return std::any_of(slots.begin(), slots.end(), [&](const ProblemSlot& slot) {
    return slot.found.has_verify && checks.concern(slot.problem.name) && result.launched(slot.index);
  });
}

bool AssignmentChecks::any_verify(const BatchResult& result) const {
  return options_.verify || std::any_of(registered_.begin(), registered_.end(), [&](const auto& checks) {
           return checks->checks.verify && launched(*checks, result);
         });
}

std::string AssignmentChecks::verdict(const BatchResult& result, const IterationInfo& info) const {
  std::string verdict = options_.verify ? verdict_of(options_.verify, info, "") : "";
  for (const auto& checks : registered_) {
    if (checks->checks.verify && launched(*checks, result)) {
      const std::string own =
          verdict_of(checks->checks.verify, info, " of kernel \"" + checks->kernels.front() + "\"");
      verdict = verdict.empty() ? own : verdict;
    }
  }
  return verdict;
}

bool AssignmentChecks::copies_buffers() const {
  return options_.copies || !options_.outputs.empty() ||
         std::any_of(registered_.begin(), registered_.end(),
                     [](const auto& checks) { return !checks->checks.outputs.empty(); });
}

void AssignmentChecks::find_room(const BatchPlan& plan, BatchResult& result) {
  try {
    const Watchdog::Section section(watch_, {Activity::verify, plan.phase(), plan.first_iteration});
    if (options_.copies && plan.kind == BatchKind::discovery) {
      options_.copies->find_room(options_.communicator->rank());
    }
    outputs_.refresh();
    outputs_.find_room();
  } catch (...) {
    result.failure = failure_before_launch(std::current_exception());
  }
}

void AssignmentChecks::begin(const BatchPlan& plan, BatchResult& result) {
  try {
    const Watchdog::Section section(watch_, {Activity::verify, plan.phase(), plan.first_iteration});
    if (options_.copies && plan.kind == BatchKind::discovery) {
      options_.copies->take();
      context_.note(options_.copies->cost_text());
    }
    if (!outputs_.empty()) {
      outputs_.begin(assignment_of(plan), plan.kind);
    }
  } catch (...) {
    result.failure = failure_before_launch(std::current_exception());
  }
}

/// The configs of the batch's first iteration; those of problems that join in it are what they used then.
Assignment AssignmentChecks::assignment_of(const BatchPlan& plan) const {
  policy::IterationPlan planned = plan.iterations.empty() ? policy::IterationPlan() : plan.iterations.front();
  const Assignment found = problems_.found_locked_in();
  for (std::size_t p = planned.cells.size(); p < found.size(); ++p) {
    planned.cells.push_back({policy::Cell::Role::best, found[p]});
  }
  return problems_.state().assignment_of(planned);
}

void AssignmentChecks::judge(const BatchPlan& plan, BatchResult& result) {
  refresh();
  note_verified();
  if (result.failure || !result.out_of_memory.empty()) {
    return;
  }
  const bool judged = plan.kind != BatchKind::final_run && any_verify(result);
  if (!judged && outputs_.empty()) {
    return;
  }
  const detail::ThreadStateScope hook({.region = context_.region_id(), .in_hook = true});
  try {
    const Watchdog::Section section(watch_, {Activity::verify, plan.phase(), context_.tuning_iteration});
    if (judged) {
      result.verdict = verdict(result, {context_.region(), plan.phase(), context_.tuning_iteration});
    }
    const std::string difference = outputs_.verdict(result);
    result.verdict = result.verdict.empty() ? difference : result.verdict;
  } catch (...) {
    result.failure = failure_of(std::current_exception());
  }
}

std::vector<std::string> AssignmentChecks::end(const BatchPlan& plan, bool succeeded) {
  return outputs_.empty() ? std::vector<std::string>() : outputs_.end(assignment_of(plan), succeeded);
}

void AssignmentChecks::tell_failure(const BatchPlan& plan, const policy::BatchOutcome& outcome) const {
  const detail::ThreadStateScope hook({.region = context_.region_id(), .in_hook = true});
  const Watchdog::Section section(watch_, {Activity::verify, plan.phase(), context_.tuning_iteration});
  const auto failed = [&outcome](std::size_t problem) {
    return outcome.any_infeasible() ||
           std::any_of(outcome.rejections.begin(), outcome.rejections.end(),
                       [problem](const auto& rejection) { return rejection.problem == problem; });
  };
  const auto& slots = problems_.slots();
  for (const auto& checks : registered_) {
    bool concerned = false;
    for (std::size_t p = 0; p < slots.size(); ++p) {
      concerned = concerned || (failed(p) && checks->concern(slots[p]->problem.name));
    }
    if (concerned && checks->checks.after_failure) {
      checks->checks.after_failure();
    }
  }
}

}  // namespace contextual::tuning
