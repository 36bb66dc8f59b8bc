#include "contextual/record/search_event.hpp"

#include "contextual/record/reason_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace contextual::record {
namespace {

std::vector<std::int64_t> config_ids(const Assignment& assignment) {
  return {assignment.begin(), assignment.end()};
}

std::optional<std::int64_t> config_id(const Assignment& assignment, std::size_t problem) {
  return problem < assignment.size() ? std::optional(static_cast<std::int64_t>(assignment[problem]))
                                     : std::nullopt;
}

std::vector<SearchedProblem> searched_problems(const policy::SearchRecord& search,
                                               const std::vector<ProblemView>& problems) {
  std::vector<SearchedProblem> searched;
  for (const detail::ProblemSlot* slot : joined_slots(problems, search.by_own_time.size())) {
    const std::size_t index = searched.size();
    SearchedProblem& problem = searched.emplace_back();
    if (slot != nullptr) {
      problem.problem = {slot->problem.name, slot->problem.key_text};
    }
    problem.chosen_by = chosen_by(search, index);
    problem.config_id = config_id(search.choice, index);
    problem.own_time_config_id = config_id(search.by_own_time, index);
  }
  return searched;
}

Standing standing_of(const policy::SearchRecord& search, const Assignment& assignment) {
  if (assignment == search.choice) {
    return Standing::choice;
  }
  const auto& ties = search.within_noise;
  return std::find(ties.begin(), ties.end(), assignment) != ties.end() ? Standing::within_noise
                                                                       : Standing::other;
}

/// Sets the fields of the closing comparison.
void add_comparison(SearchResult& event, const policy::SearchRecord& search) {
  event.reference = reference_of(search);
  if (event.reference == SearchReference::none) {
    return;
  }
  event.reference_config_ids = config_ids(search.compared_with);
  event.round_count = static_cast<std::int64_t>(search.reference_makespan.count);
  if (search.reference_makespan.count > 0) {
    event.reference_makespan_ns = search.reference_makespan.centre_ns;
    event.reference_spread_ns = search.reference_makespan.spread_ns;
    event.choice_makespan_ns = search.choice_makespan.centre_ns;
    event.choice_spread_ns = search.choice_makespan.spread_ns;
  }
  if (search.gain) {
    event.gain = search.gain->centre;
    event.gain_low = search.gain->low;
    event.gain_high = search.gain->high;
  }
}

}  // namespace

ChosenBy chosen_by(const policy::SearchRecord& search, std::size_t problem) {
  const auto contains = [problem](const std::vector<std::size_t>& problems) {
    return std::find(problems.begin(), problems.end(), problem) != problems.end();
  };
  return contains(search.members)   ? ChosenBy::makespan
         : contains(search.by_time) ? ChosenBy::own_time
                                    : ChosenBy::not_tuned;
}

SearchReference reference_of(const policy::SearchRecord& search) {
  switch (search.reference) {
    case policy::Reference::defaults:
      return SearchReference::defaults;
    case policy::Reference::alternative_defaults:
      return SearchReference::alternative_defaults;
    case policy::Reference::default_alternative:
      return SearchReference::default_alternative;
    case policy::Reference::first_feasible:
      return SearchReference::first_feasible;
    case policy::Reference::none:
      break;
  }
  return SearchReference::none;
}

SearchResult search_event(const policy::SearchRecord& search,
                          const std::map<Assignment, policy::Reason>& infeasible,
                          const std::vector<ProblemView>& problems) {
  SearchResult event;
  event.problems = searched_problems(search, problems);
  event.existing_count = static_cast<std::int64_t>(search.existing);
  event.measured_count = static_cast<std::int64_t>(search.measured.size());
  event.failed_count = static_cast<std::int64_t>(search.failed);
  event.run_count = search.runs;
  event.lead_in_count = search.lead_ins;
  for (const policy::MeasuredAssignment& measured : search.measured) {
    event.measured.push_back({config_ids(measured.assignment),
                              static_cast<std::int64_t>(measured.makespan.count), measured.makespan.centre_ns,
                              measured.makespan.spread_ns, standing_of(search, measured.assignment)});
  }
  for (const auto& [assignment, reason] : infeasible) {
    if (assignment.size() == search.by_own_time.size()) {
      event.infeasible.push_back({config_ids(assignment), reason_text(reason)});
    }
  }
  event.within_noise_count = static_cast<std::int64_t>(search.within_noise.size());
  event.reason = reason_text(search.reason);
  event.cut = reason_text(search.cut);
  add_comparison(event, search);
  for (const policy::LostComparison& lost : search.lost) {
    event.lost.push_back({config_ids(lost.assignment), lost.gain.centre, lost.gain.low, lost.gain.high});
  }
  event.own_time_cost = search.cost_of_own_time;
  event.unsure = search.is_unsure();
  return event;
}

}  // namespace contextual::record
