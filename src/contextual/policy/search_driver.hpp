#pragma once

/// \file
/// Drives the search of a scope, which a user may have written. Pure.

#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/search_scope.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace contextual::policy {

/// Makes a search and speaks to it about assignments of all problems. Keeps a reference to the scope. Not
/// thread-safe.
class SearchDriver {
 public:
  SearchDriver(const SearchBasis& basis, const SearchScope& scope) : basis_(basis), scope_(scope) {}

  /// Makes a search of the scope's members, of at most `max_runs` runs. `iterations` is the number of tuning
  /// iterations so far.
  void begin(std::int64_t iterations, std::int64_t max_runs);
  void drop() { search_.reset(); }
  /// There is none where the scope has no members, and before and after a search.
  bool exists() const noexcept { return search_ != nullptr; }

  /// Returns the best assignment that has not been ruled out; nothing where there is no search.
  std::optional<Assignment> best() const;

  // Where there is one:
  bool has_plan() const { return !search_->plan().empty(); }
  std::vector<SearchTrial> trials() const;
  void observe(SearchObservation observation);
  void reject(std::size_t problem, std::size_t config_id);
  void lost(const Assignment& assignment) { search_->lost(scope_.of_members(assignment)); }
  Reason reason() const { return told(search_->reason()); }
  std::int64_t max_runs() const noexcept { return max_runs_; }
  /// Returns how many runs it can still take after `runs` of them.
  std::int64_t most_runs_left(std::int64_t runs) const;

 private:
  SearchBasis basis_;
  const SearchScope& scope_;
  std::unique_ptr<Search> search_;
  std::int64_t max_runs_ = 0;
};

}  // namespace contextual::policy
