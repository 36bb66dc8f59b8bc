#pragma once

/// \file
/// A baseline: random assignments, of which the best are compared at the end.

#include "search/baseline_search.hpp"
#include "search/interleaved_contest.hpp"
#include "search/random_numbers.hpp"

#include <set>

namespace search_replay {

/// Takes one sample each of the start and of random distinct assignments with about half of the runs. The
/// best eight of them compete in rounds for half of the remaining runs, and the better half of these for the
/// rest.
class RandomAssignments final : public BaselineSearch {
 public:
  explicit RandomAssignments(const contextual::SearchRequest& request);

  std::optional<Assignment> best() const override;
  std::string reason() const override;

 private:
  enum class Stage { drawing, first_contest, last_contest, over };

  std::vector<contextual::SearchTrial> next_trials() override;
  std::vector<contextual::SearchTrial> draw();
  std::vector<contextual::SearchTrial> open_contest(Stage stage, std::vector<Assignment> entrants,
                                                    std::int64_t runs);
  std::vector<Assignment> best_drawn(std::size_t count) const;

  RandomNumbers random_;
  Stage stage_ = Stage::drawing;
  std::set<Assignment> drawn_;
  std::optional<InterleavedContest> contest_;
};

}  // namespace search_replay
