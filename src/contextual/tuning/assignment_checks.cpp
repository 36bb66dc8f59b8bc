#include "contextual/tuning/assignment_checks.hpp"

#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/tuning/time_collector.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <exception>

namespace contextual::tuning {

using detail::BatchKind;
using detail::BatchPlan;
using detail::BatchResult;
using detail::ChecksOfKernels;
using detail::ProblemSlot;

namespace {

std::string verdict_of(const ChecksOfKernels& checks, const IterationInfo& info) {
  const std::string verify =
      checks.of_all() ? "`verify`" : "`verify` of kernel \"" + checks.kernels.front() + "\"";
  try {
    return checks.checks.verify(info) ? "" : verify + " returned false";
  } catch (const ConfigRejected& rejected) {
    return verify + ": " + rejected.what();
  }
}

}  // namespace

AssignmentChecks::AssignmentChecks(const options::ResolvedOptions& options, detail::RunContext& context,
                                   const agreement::ProblemSet& problems, const Watchdog::Watch& watch)
    : options_(options),
      context_(context),
      problems_(problems),
      watch_(watch),
      of_options_(std::make_shared<const ChecksOfKernels>(
          ChecksOfKernels{{}, {options.feasible, options.verify, options.outputs}})),
      outputs_(options, context) {
  refresh();
}

void AssignmentChecks::refresh() {
  all_ = detail::registered_checks();
  all_.insert(all_.begin(), of_options_);
}

/// Notes which of the problems that have not joined yet have a registered `verify`, or outputs.
void AssignmentChecks::note_verified() {
  for (ProblemSlot& slot : context_.slots()) {
    for (const auto& checks : all_) {
      const bool judged = checks->checks.verify || !checks->checks.outputs.empty();
      if (!slot.joined() && judged && !checks->of_all() && checks->concern(slot.problem.name)) {
        slot.found.has_verify = true;
      }
    }
  }
}

bool AssignmentChecks::feasible(const Assignment& assignment) const {
  return std::all_of(all_.begin(), all_.end(), [&](const auto& checks) {
    if (!checks->checks.feasible) {
      return true;
    }
    std::vector<AssignedConfig> concerned;
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      const ProblemSlot& slot = *problems_.slots()[p];
      if (checks->concern(slot.problem.name)) {
        concerned.push_back({slot.problem.name, slot.problem.key_text, assignment[p],
                             slot.found.members.empty()
                                 ? nullptr
                                 : &slot.found.members.front()->space().configs[assignment[p]]});
      }
    }
    return (concerned.empty() && !checks->of_all()) || checks->checks.feasible(concerned);
  });
}

bool AssignmentChecks::allow_defaults() const {
  Assignment defaults;
  for (const ProblemSlot* slot : problems_.slots()) {
    defaults.push_back(slot->found.pinned_by.empty() ? 0 : slot->found.locked_config.value_or(0));
  }
  return feasible(defaults);
}

bool AssignmentChecks::verifies(const ChecksOfKernels& checks, const BatchResult& result) const {
  const auto& slots = context_.slots();
  return checks.checks.verify &&
         (checks.of_all() || std::any_of(slots.begin(), slots.end(), [&](const ProblemSlot& slot) {
            return slot.found.has_verify && checks.concern(slot.problem.name) && result.launched(slot.index);
          }));
}

bool AssignmentChecks::copies_buffers() const {
  return options_.copies || std::any_of(all_.begin(), all_.end(),
                                        [](const auto& checks) { return !checks->checks.outputs.empty(); });
}

void AssignmentChecks::find_room(const BatchPlan& plan, BatchResult& result) {
  try {
    const Watchdog::Section section(watch_, {Activity::verify, plan.phase(), plan.first_iteration});
    if (options_.copies && plan.kind == BatchKind::discovery) {
      options_.copies->find_room(options_.communicator->rank());
    }
    outputs_.refresh(all_);
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
  auto verified = all_;
  std::erase_if(verified, [&](const auto& checks) {
    return plan.kind == BatchKind::final_run || !verifies(*checks, result);
  });
  if (verified.empty() && outputs_.empty()) {
    return;
  }
  const detail::ThreadStateScope hook({.region = context_.region_id(), .in_hook = true});
  try {
    const Watchdog::Section section(watch_, {Activity::verify, plan.phase(), context_.tuning_iteration});
    const auto add = [&](const std::string& verdict) {
      result.verdict = result.verdict.empty() ? verdict : result.verdict;
    };
    for (const auto& checks : verified) {
      add(verdict_of(*checks, {context_.region(), plan.phase(), context_.tuning_iteration}));
    }
    add(outputs_.verdict(result));
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
  for (const auto& checks : all_) {
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
