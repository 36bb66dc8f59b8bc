#pragma once

/// \file
/// An example of a search: random assignments.

#include "searches/sequential_search.hpp"

#include <cstddef>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace examples {

/// Visits the start and then random assignments, each at most once, until the runs are used up or it finds
/// nothing new, and chooses the shortest.
class RandomSearch final : public SequentialSearch {
 public:
  explicit RandomSearch(const contextual::SearchRequest& request)
      : SequentialSearch(request), generator_(request.seed) {
    begin();
  }

  std::optional<Assignment> best() const override { return shortest(); }
  std::string reason() const override {
    return "the shortest of " + std::to_string(drawn_.size()) + " random assignments";
  }

 private:
  std::optional<Assignment> next_visit() override {
    if (drawn_.insert(request().start).second) {
      return request().start;
    }
    constexpr int draws_at_end = 1000;  // so many in a row without anything new
    for (int draw = 0; draw < draws_at_end; ++draw) {
      const std::optional<Assignment> assignment = random_assignment();
      if (!assignment || drawn_.insert(*assignment).second) {
        return assignment;
      }
    }
    return std::nullopt;
  }

  /// Nothing if a problem has no candidate left.
  std::optional<Assignment> random_assignment() {
    Assignment assignment;
    for (const contextual::SearchProblem& problem : request().problems) {
      std::vector<std::size_t> candidates;
      for (std::size_t config = 0; config < problem.configs.size(); ++config) {
        if (problem.configs[config].candidate) {
          candidates.push_back(config);
        }
      }
      if (candidates.empty()) {
        return std::nullopt;
      }
      assignment.push_back(candidates[generator_() % candidates.size()]);
    }
    return assignment;
  }

  /// The standard fixes what a generator returns. What its distributions return differs between standard
  /// libraries, and the ranks would draw different assignments.
  std::mt19937_64 generator_;
  std::set<Assignment> drawn_;
};

}  // namespace examples
