#include "report/judging/search_view.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace contextual::log_report {
namespace {

/// One id of each problem; nothing where some problem has none.
template <typename Id>
ConfigIds assignment_of(const std::vector<SearchedProblem>& problems, const Id& id) {
  ConfigIds assignment;
  for (const SearchedProblem& problem : problems) {
    const std::optional<std::int64_t> config = id(problem);
    if (!config) {
      return {};
    }
    assignment.push_back(*config);
  }
  return assignment;
}

ConfigIds defaults_of(const SearchResult& result) {
  if (result.reference != SearchReference::none && result.reference != SearchReference::first_feasible &&
      result.reference_config_ids.size() == result.problems.size()) {
    return result.reference_config_ids;
  }
  return assignment_of(result.problems, [](const SearchedProblem& problem) {
    return problem.chosen_by == ChosenBy::not_tuned ? problem.config_id : std::optional<std::int64_t>(0);
  });
}

std::vector<MeasuredView> measured_of(const SearchResult& result) {
  std::vector<MeasuredView> measured;
  std::optional<double> choice_ns;
  for (const MeasuredAssignment& each : result.measured) {
    const double makespan_ns = each.makespan_ns.value_or(0);
    if (each.config_ids.size() == result.problems.size() && makespan_ns > 0 && std::isfinite(makespan_ns)) {
      measured.push_back({&each, makespan_ns, std::nullopt});
      if (each.standing == Standing::choice) {
        choice_ns = makespan_ns;
      }
    }
  }
  for (MeasuredView& each : measured) {
    each.to_choice = choice_ns ? std::optional(each.makespan_ns / *choice_ns - 1) : std::nullopt;
  }
  std::stable_sort(measured.begin(), measured.end(), [](const MeasuredView& a, const MeasuredView& b) {
    return a.makespan_ns < b.makespan_ns;
  });
  return measured;
}

/// Compares all with the first one.
std::vector<std::size_t> differing_of(const SearchView& view) {
  const ConfigIds* first = nullptr;
  std::set<std::size_t> differing;
  const auto compare = [&](const ConfigIds& ids) {
    first = first == nullptr && !ids.empty() ? &ids : first;
    for (std::size_t p = 0; p < ids.size(); ++p) {
      if (ids[p] != (*first)[p]) {
        differing.insert(p);
      }
    }
  };
  for (const MeasuredView& each : view.measured) {
    compare(each.config_ids());
  }
  for (const InfeasibleAssignment* each : view.infeasible) {
    compare(each->config_ids);
  }
  for (const LostAssignment* each : view.lost) {
    compare(each->config_ids);
  }
  compare(view.choice);
  compare(view.by_own_time);
  compare(view.defaults);
  return {differing.begin(), differing.end()};
}

}  // namespace

const InfeasibleAssignment* SearchView::find_infeasible(const ConfigIds& assignment) const {
  const auto found = std::find_if(infeasible.begin(), infeasible.end(),
                                  [&](const auto* each) { return each->config_ids == assignment; });
  return found == infeasible.end() ? nullptr : *found;
}

Change change_of(double gain, std::optional<double> gain_low, std::optional<double> gain_high) {
  const auto change = [](double of_gain) { return -std::min(of_gain, 1.0); };
  return {change(gain), change(gain_high.value_or(gain)), change(gain_low.value_or(gain))};
}

SearchView view_of(const SearchResult& result) {
  SearchView view;
  view.result = &result;
  view.choice =
      assignment_of(result.problems, [](const SearchedProblem& problem) { return problem.config_id; });
  view.by_own_time = assignment_of(result.problems,
                                   [](const SearchedProblem& problem) { return problem.own_time_config_id; });
  view.defaults = defaults_of(result);
  view.measured = measured_of(result);
  for (const InfeasibleAssignment& each : result.infeasible) {
    if (each.config_ids.size() == result.problems.size()) {
      view.infeasible.push_back(&each);
    }
  }
  for (const LostAssignment& each : result.lost) {
    if (each.config_ids.size() == result.problems.size() && each.gain) {
      view.lost.push_back(&each);
    }
  }
  view.differing = differing_of(view);
  return view;
}

std::optional<Change> change_to_defaults(const std::vector<SearchView>& searches) {
  if (searches.empty()) {
    return std::nullopt;
  }
  const SearchResult& last = *searches.back().result;
  const bool came_back = searches.back().choice == last.reference_config_ids;
  return last.reference == SearchReference::defaults && last.gain && !came_back
             ? std::optional(change_of(*last.gain, last.gain_low, last.gain_high))
             : std::nullopt;
}

}  // namespace contextual::log_report
