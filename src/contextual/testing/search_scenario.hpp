#pragma once

/// \file
/// The regions on which a search is checked.

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::testing {

/// What happens to one search. Immutable once it is made.
struct SearchScenario {
  SearchRequest request;
  std::string event;  ///< what is special about it, in words
  std::size_t infeasible_every =
      0;  ///< one of so many assignments is infeasible, the defaults included; 0: none
  std::int64_t missing_every = 0;  ///< one of so many runs has no makespan; 0: none
  bool equal_makespans = false;
  bool cut_batches = false;        ///< of every other batch only the first trial is run, without its samples
  std::int64_t fails_at_run = -1;  ///< this run fails, whatever its assignment
  std::vector<std::pair<std::size_t, std::size_t>> rejected;  ///< problems and configs that are rejected ...
  std::size_t reject_after_batches = 0;                       ///< ... after this many batches
  std::optional<std::size_t> lose_after_batches{};  ///< when the best so far loses the closing comparison

  /// Returns the request and the event in words.
  std::string describe() const;

  /// Returns whether run number `run` of the region, with this assignment, succeeds.
  bool succeeds(const Assignment& assignment, std::int64_t run) const;

  /// Returns what a run that succeeds measures.
  SearchRun measure(const Assignment& assignment, std::int64_t run, bool lead_in) const;
};

/// Returns all scenarios.
std::vector<SearchScenario> search_scenarios();

}  // namespace contextual::testing
