#pragma once

/// \file
/// A search, with its assignments checked and in order.

#include "report/reading/events.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
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

/// What the parts of the report say about one search. Assignments that do not have one config for each
/// problem, as damaged lines may say, are left out.
struct SearchView {
  const SearchResult* result = nullptr;
  ConfigIds choice;                    ///< empty if there is none
  ConfigIds by_own_time;               ///< empty if the log does not say
  ConfigIds defaults;                  ///< all problems that were tuned at config 0, the others as chosen
  std::vector<MeasuredView> measured;  ///< the shortest makespan first
  std::vector<const InfeasibleAssignment*> infeasible;
  std::vector<std::size_t> differing;  ///< the problems whose config is not the same in all of these

  /// Returns the measured one with these configs, or null.
  const MeasuredView* find(const ConfigIds& assignment) const;
  /// Returns why the assignment is infeasible, or nothing if that is not known.
  std::optional<std::string_view> infeasible_because(const ConfigIds& assignment) const;
};

/// `result` must outlive the view.
SearchView view_of(const SearchResult& result);

}  // namespace contextual::log_report
