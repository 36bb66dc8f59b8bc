#pragma once

/// \file
/// Requests and observations of searches; a region without noise, and a driver that runs a search on
/// it as the tuner does.

#include <contextual/search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace contextual::policy::search::test {

/// A request for problems without parameters.
inline SearchRequest request_of(const std::vector<std::size_t>& config_counts, std::int64_t max_runs,
                                std::uint64_t seed = 1) {
  SearchRequest request;
  for (const std::size_t count : config_counts) {
    request.problems.push_back({"kernel", "", std::vector<SearchConfig>(count)});
  }
  request.start.assign(config_counts.size(), 0);
  request.max_runs = max_runs;
  request.seed = seed;
  return request;
}

/// A trial with these makespans, the first of which is the lead-in's.
inline SearchObservation trial(const Assignment& assignment,
                               const std::vector<std::optional<std::int64_t>>& makespans_ns) {
  SearchObservation observation{{assignment, static_cast<int>(makespans_ns.size()) - 1}, {}};
  for (const std::optional<std::int64_t>& makespan_ns : makespans_ns) {
    observation.runs.push_back({makespan_ns, {}});
  }
  return observation;
}

inline SearchObservation failure(const Assignment& assignment) {
  return {{assignment, 0}, {{std::nullopt, {}}}, true};
}

/// Runs trials and keeps what was run. A first run of an assignment is made alone.
class ScriptedTable {
 public:
  /// `makespan_ns` returns nothing for an infeasible assignment, and 0 for a missing makespan.
  explicit ScriptedTable(std::function<std::optional<std::int64_t>(const Assignment&)> makespan_ns)
      : makespan_ns_(std::move(makespan_ns)) {}

  /// Runs one batch and tells `searches`, which plan alike. Returns false if the first of them is complete.
  bool step(const std::vector<Search*>& searches) {
    const std::vector<SearchTrial> trials = searches.front()->plan();
    const auto unproven = std::find_if(trials.begin(), trials.end(), [this](const SearchTrial& trial) {
      return !proven_.contains(trial.assignment);
    });
    if (unproven != trials.end()) {
      run({unproven->assignment, 0}, searches);
      return true;
    }
    for (const SearchTrial& trial : trials) {
      run(trial, searches);
    }
    return !trials.empty();
  }

  /// Runs batches until the search is complete, but at most `most_batches`.
  void finish(Search& search, int most_batches = 1000) {
    for (int batch = 0; batch < most_batches && step({&search}); ++batch) {
    }
  }

  std::int64_t runs() const { return static_cast<std::int64_t>(run_.size()); }
  const std::vector<Assignment>& run_assignments() const { return run_; }

 private:
  void run(const SearchTrial& trial, const std::vector<Search*>& searches) {
    const std::optional<std::int64_t> makespan = makespan_ns_(trial.assignment);
    SearchObservation observation{trial, {}, !makespan};
    for (int i = 0; i < (makespan ? 1 + trial.samples : 1); ++i) {
      run_.push_back(trial.assignment);
      observation.runs.push_back({makespan && *makespan > 0 ? makespan : std::optional<std::int64_t>(),
                                  std::vector<std::optional<std::int64_t>>(trial.assignment.size())});
    }
    if (makespan) {
      proven_.insert(trial.assignment);
    }
    for (Search* const search : searches) {
      search->observe(observation);
    }
  }

  std::function<std::optional<std::int64_t>(const Assignment&)> makespan_ns_;
  std::set<Assignment> proven_;
  std::vector<Assignment> run_;
};

}  // namespace contextual::policy::search::test
