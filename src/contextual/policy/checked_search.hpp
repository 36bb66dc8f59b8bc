#pragma once

/// \file
/// Keeps a search, which a user may have written, to the part of its contract that a run depends on. Pure.

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace contextual::policy {

/// Passes everything on to another search. Its `plan` and `best` throw InvalidArgument for an assignment of a
/// wrong size, for a config that does not exist or is no candidate, and for an assignment of which the search
/// has been told that it is infeasible; `plan` also for a number of samples that is negative or more than the
/// runs of the request, and `best` also for what the request's `feasible` rules out and for what has never
/// been run. Not thread-safe.
class CheckedSearch final : public Search {
 public:
  /// `has_run` returns true for an assignment with which the region has succeeded, in the walk or later.
  CheckedSearch(const SearchRequest& request, std::unique_ptr<Search> search,
                std::function<bool(const Assignment&)> has_run);

  std::vector<SearchTrial> plan() const override;
  void observe(const SearchObservation& observation) override;
  void reject(std::size_t problem, std::size_t config_id) override;
  void lost(const Assignment& assignment) override;
  std::optional<Assignment> best() const override;
  std::string reason() const override { return search_->reason(); }
  std::size_t remaining_runs() const override { return search_->remaining_runs(); }

 private:
  /// `what` is what the search did, for the message.
  void require_candidates(const Assignment& assignment, const std::string& what) const;

  std::unique_ptr<Search> search_;
  std::vector<std::vector<bool>> candidates_;  ///< by problem and config
  std::int64_t max_runs_;
  std::function<bool(const Assignment&)> feasible_;
  std::function<bool(const Assignment&)> has_run_;
  std::set<Assignment> infeasible_;
  std::set<Assignment> lost_;
};

}  // namespace contextual::policy
