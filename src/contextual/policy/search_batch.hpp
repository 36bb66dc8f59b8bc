#pragma once

/// \file
/// The runs of a batch of a search, made from the trials that it plans. Pure.

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace contextual::policy {

/// One run of the region in a batch of a search.
struct SearchRunPlan {
  Assignment assignment;
  std::size_t trial = 0;      ///< which of the planned trials it belongs to
  int samples = 0;            ///< of the trial
  int run = 0;                ///< of the trial; 0 is the lead-in
  std::uint64_t context = 0;  ///< in another context the run does not count
};

/// What a batch may hold.
struct SearchBatchLimits {
  std::size_t most_runs = 0;
  bool one_assignment = false;
};

/// Returns the runs of the first trials, at most `limits.most_runs` of them unless the first trial is longer.
/// The first run of an assignment that is not `proven` is a batch of its own, of a trial without samples.
std::vector<SearchRunPlan> search_batch(const std::vector<SearchTrial>& trials,
                                        const std::function<bool(const Assignment&)>& proven,
                                        const SearchBatchLimits& limits);

}  // namespace contextual::policy
