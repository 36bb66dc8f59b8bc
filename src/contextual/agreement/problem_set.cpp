#include "contextual/agreement/problem_set.hpp"

#include "contextual/record/reason_text.hpp"

#include <contextual/config.hpp>

#include <algorithm>
#include <mutex>

namespace contextual::agreement {

using detail::ProblemSlot;

std::string config_text(const ProblemSlot& slot, std::size_t config_id) {
  const bool known = !slot.found.members.empty() || slot.found.configs != nullptr;
  return known ? record::config_of(slot, config_id).to_string() : "(not known on this rank)";
}

void ProblemSet::join(ProblemSlot& slot, const detail::LaunchingAlternative* in) {
  policy::ProblemRequest request{slot.problem.config_count, slot.found.left_out, slot.found.locked_config,
                                 slot.problem.name, slot.problem.key_text};
  if (slot.problem.coupling.empty()) {  // coupled kernels may have different parameters
    request.parameters = slot.found.configs = spaces_.find(slot.problem.space_digest);
  }
  const std::size_t refinements = slot.problem.choice_point ? 0 : slot.problem.refinement_count;
  if (request.parameters == nullptr) {  // nobody can say what lies near the best
    request.left_out.resize(request.config_count, false);
    std::fill(request.left_out.end() - static_cast<std::ptrdiff_t>(refinements), request.left_out.end(),
              true);
  } else {
    request.refinement_count = refinements;
  }
  request.has_verify = slot.found.has_verify;
  request.choice_point = slot.problem.choice_point;
  for (const StartingPoint& point : starting_points_) {
    request.chosen_elsewhere.push_back(config_of(point, slot.problem, request.parameters.get()));
  }
  if (in != nullptr && index_of(*in->choice_point)) {
    request.under = {*index_of(*in->choice_point), in->config_id};
  }
  const std::size_t index = state_.add_problem(request);
  slots_.push_back(&slot);
  indices_.resize(std::max(indices_.size(), slot.index + 1));
  indices_[slot.index] = index;
}

const policy::ProblemRecord* ProblemSet::record_of(const ProblemSlot& slot) const {
  const std::optional<std::size_t> index = index_of(slot);
  return index ? &state_.problem(*index) : nullptr;
}

std::vector<Rejection> ProblemSet::rejections_of(const ProblemSlot& slot) const {
  std::vector<Rejection> rejections;
  const policy::ProblemRecord& record = *record_of(slot);
  for (std::size_t id = 0; id < record.configs.size(); ++id) {
    if (const auto& rejection = record.configs[id].rejection) {
      rejections.push_back(
          {id, config_text(slot, id), record::reason_text(*rejection), policy::ranks_of(*rejection)});
    }
  }
  return rejections;
}

std::vector<policy::RejectionOutcome> ProblemSet::rejections_of_batch() const {
  std::vector<policy::RejectionOutcome> rejections;
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    ProblemSlot* slot = slots_[index];
    const std::lock_guard lock(slot->launched.mutex);
    for (const detail::LocalRejection& rejection : slot->launched.rejections) {
      if (!rejection.of_assignment) {
        rejections.push_back(
            {index, rejection.config_id, rejection.batch_iteration, rejection.reason, rejection.left_out});
      }
    }
  }
  return rejections;
}

std::vector<InfeasibleIteration> ProblemSet::infeasible_of_batch() const {
  std::vector<InfeasibleIteration> infeasible;
  for (ProblemSlot* slot : slots_) {
    const std::lock_guard lock(slot->launched.mutex);
    for (const detail::LocalRejection& rejection : slot->launched.rejections) {
      if (rejection.of_assignment) {
        infeasible.push_back(
            {rejection.batch_iteration, slot->problem.name + " " + slot->problem.key_text + ", config-" +
                                            std::to_string(rejection.config_id) + ": " + rejection.reason});
      }
    }
  }
  return infeasible;
}

std::string ProblemSet::assignment_text(const Assignment& assignment) const {
  std::string text;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    text += (p > 0 ? ", " : "") + slots_[p]->problem.name + " " + config_text(*slots_[p], assignment[p]);
  }
  return text;
}

std::vector<record::ProblemView> ProblemSet::views(const detail::RunContext& context) const {
  std::vector<record::ProblemView> views;
  views.reserve(context.slots().size());
  for (const ProblemSlot& slot : context.slots()) {
    views.push_back({&slot, record_of(slot), index_of(slot), context.launching(slot.problem.scope)});
  }
  return views;
}

Assignment ProblemSet::found_locked_in() const {
  Assignment found;
  for (const ProblemSlot* slot : slots_) {
    found.push_back(slot->found.locked_config.value_or(0));
  }
  return found;
}

void ProblemSet::throw_failed(const std::string& region) const {
  if (const std::optional<std::size_t> failed = state_.failed_problem()) {
    const ProblemSlot& slot = *slots_[*failed];
    throw TuningFailedError(region, slot.problem.name, slot.problem.key_text, rejections_of(slot));
  }
  std::vector<InfeasibleAssignment> infeasible;
  for (const auto& [assignment, reason] : state_.infeasible()) {
    infeasible.push_back({assignment_text(assignment), record::reason_text(reason)});
  }
  throw TuningFailedError(region, record::reason_text(state_.failure()), std::move(infeasible));
}

std::optional<std::size_t> config_of(const StartingPoint& point, const detail::Problem& problem,
                                     const std::vector<Config>* parameters) {
  const auto chosen = std::find_if(point.begin(), point.end(), [&](const storage::KeptChoice& choice) {
    return choice.kernel == problem.name && choice.key == problem.key && choice.scope == problem.scope;
  });
  if (chosen == point.end()) {
    return std::nullopt;
  }
  const Config config = Config::from_json(chosen->config);
  if (parameters == nullptr || config.empty()) {
    return chosen->config_count == problem.config_count ? std::optional(chosen->config_id) : std::nullopt;
  }
  const auto same = std::find(parameters->begin(), parameters->end(), config);
  return same == parameters->end() ? std::nullopt : std::optional<std::size_t>(same - parameters->begin());
}

}  // namespace contextual::agreement
