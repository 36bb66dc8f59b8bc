#pragma once

/// \file
/// A baseline: coordinate descent with random restarts.

#include "search/baseline_search.hpp"
#include "search/interleaved_contest.hpp"
#include "search/random_numbers.hpp"

#include <cstddef>
#include <utility>

namespace search_replay {

/// Tries all configs of one problem after another, while the others keep theirs, with one sample each, and
/// moves to the fastest. When no problem changes any more, it compares the result in rounds with the
/// champion, which is the best result so far, and starts anew from a random assignment.
class CoordinateDescent final : public BaselineSearch {
 public:
  explicit CoordinateDescent(const contextual::SearchRequest& request);

  std::optional<Assignment> best() const override;
  std::string reason() const override;

 private:
  enum class Stage {
    starting,   ///< a start is sampled
    scanning,   ///< the configs of one problem are sampled
    contesting  ///< the result is compared with the champion
  };

  std::vector<contextual::SearchTrial> next_trials() override;
  void conclude();
  void conclude_scan();
  void conclude_descent();
  std::vector<contextual::SearchTrial> start();
  std::vector<contextual::SearchTrial> scan();

  RandomNumbers random_;
  Stage stage_ = Stage::starting;
  Assignment current_;
  bool begun_ = false;                                       ///< false until the first start has been planned
  std::size_t problem_ = 0;                                  ///< the one that is scanned
  std::size_t unchanged_ = 0;                                ///< problems scanned in a row without a change
  std::vector<std::pair<Assignment, std::size_t>> scanned_;  ///< with the number of samples before the scan
  std::optional<InterleavedContest> contest_;
  std::optional<Assignment> champion_;
  int descents_ = 0;  ///< complete ones
};

}  // namespace search_replay
