#pragma once

/// \file
/// The first trials of a search: every config of every problem at least once.

#include "contextual/policy/search/random_numbers.hpp"
#include "contextual/policy/search/search_space.hpp"
#include "contextual/policy/search/trial_ledger.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace contextual::policy::search {

/// Chooses assignments of configs that have been run least. Not thread-safe. Keeps references to the space
/// and the ledger.
class Coverage {
 public:
  Coverage(const SearchSpace& space, const TrialLedger& ledger, std::uint64_t seed)
      : space_(&space), ledger_(&ledger), random_(seed) {}

  /// Returns an assignment in which some problem has a config that has never been part of an assignment that
  /// succeeded, and all problems have configs that were tried least. Returns nothing if a problem
  /// has no candidate left, or if every such config was part of three failures already.
  std::optional<Assignment> next();

  /// Returns any assignment that has not been run yet, if there are at most `most` of them in a small space.
  std::optional<Assignment> any_untried(std::size_t most);

 private:
  struct Uses {
    std::size_t successes = 0;
    std::size_t failures = 0;
    std::size_t total() const { return successes + failures; }
  };
  std::vector<std::vector<Uses>> count() const;
  std::size_t least_used(std::size_t problem, const std::vector<Uses>& uses);

  const SearchSpace* space_;
  const TrialLedger* ledger_;
  RandomWords random_;
};

}  // namespace contextual::policy::search
