#pragma once

/// \file
/// A search, with its assignments checked and in order, and what the tuning gained.

#include "report/reading/logs.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace contextual::log_report {

/// The config id of each problem of a search, in the order of SearchResult::problems.
using ConfigIds = std::vector<std::int64_t>;

/// An assignment whose makespan is known.
struct MeasuredView {
  const MeasuredAssignment* measured = nullptr;
  double makespan_ns = 0;           ///< more than 0
  std::optional<double> to_choice;  ///< by how much that exceeds the choice's, as a fraction

  const ConfigIds& config_ids() const { return measured->config_ids; }
};

/// By how much a set's time differs from another one's, as a fraction of the latter: never below -1.
struct Change {
  double centre = 0;
  double low = 0;  ///< ends of an interval; all those of one search hold their changes in 95 % of searches
  double high = 0;
};

/// What the parts of the report say about one search. Assignments that do not have one config for each
/// problem, as damaged lines may say, are left out.
struct SearchView {
  const SearchResult* result = nullptr;
  ConfigIds choice;                    ///< empty if there is none
  ConfigIds by_own_time;               ///< empty if the log does not say
  ConfigIds defaults;                  ///< all problems that were tuned at config 0, the others as chosen
  std::vector<MeasuredView> measured;  ///< the shortest makespan first
  std::vector<const InfeasibleAssignment*> infeasible;
  std::vector<const LostAssignment*> lost;  ///< with a gain, in the order of their comparisons
  std::vector<std::size_t> differing;       ///< the problems whose config is not the same in all of these

  /// Returns the infeasible one with these configs, or null.
  const InfeasibleAssignment* find_infeasible(const ConfigIds& assignment) const;
};

/// Returns the change that a gain is, whose interval may not be known. Older logs may have gains above 1.
Change change_of(double gain, std::optional<double> gain_low, std::optional<double> gain_high);

/// `result` must outlive the view.
SearchView view_of(const SearchResult& result);

/// Returns by how much the choice of the last search differs from all defaults, as its closing comparison has
/// it. Returns nothing where it was not compared with them, and where they came back.
std::optional<Change> change_to_defaults(const std::vector<SearchView>& searches);

}  // namespace contextual::log_report
