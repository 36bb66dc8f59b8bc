#include "contextual/tuning/assignment_checks.hpp"

#include <contextual/error.hpp>

#include <algorithm>

namespace contextual::tuning {

using detail::BatchResult;
using detail::ChecksOfKernels;
using detail::LocalCell;
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

AssignmentChecks::AssignmentChecks(const options::ResolvedOptions& options, const detail::RunContext& context)
    : options_(options), context_(context) {
  refresh();
}

void AssignmentChecks::note_verified(detail::RunContext& context) const {
  for (ProblemSlot& slot : context.slots()) {
    for (const auto& checks : registered_) {
      const bool judged = checks->checks.verify || !checks->checks.outputs.empty();
      if (!slot.joined() && judged && checks->concern(slot.problem.name)) {
        slot.found.has_verify = true;
      }
    }
  }
}

bool AssignmentChecks::feasible(const std::vector<ProblemSlot*>& slots, const Assignment& assignment) const {
  if (!options_.feasible && registered_.empty()) {
    return true;
  }
  std::vector<AssignedConfig> all;
  all.reserve(assignment.size());
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    const ProblemSlot& slot = *slots[p];
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

bool AssignmentChecks::launched(const ChecksOfKernels& checks, const BatchResult& result) const {
  const auto& slots = context_.slots();
  return std::any_of(slots.begin(), slots.end(), [&](const ProblemSlot& slot) {
    const std::vector<LocalCell>& cells = result.cells[slot.index];
    return slot.found.has_verify && checks.concern(slot.problem.name) &&
           std::any_of(cells.begin(), cells.end(), [](const LocalCell& cell) { return cell.launched; });
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

void AssignmentChecks::tell_failure(const policy::BatchOutcome& outcome,
                                    const std::vector<ProblemSlot*>& slots) const {
  const bool infeasible = std::any_of(outcome.iterations.begin(), outcome.iterations.end(),
                                      [](const auto& iteration) { return !iteration.infeasible.empty(); });
  const auto failed = [&](std::size_t problem) {
    return infeasible ||
           std::any_of(outcome.rejections.begin(), outcome.rejections.end(),
                       [problem](const auto& rejection) { return rejection.problem == problem; });
  };
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
