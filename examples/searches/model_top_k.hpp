#pragma once

/// \file
/// An example of a search: a model of the region's time, of which only the best predictions are measured.

#include "searches/sequential_search.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Predicts the cost of an assignment, in any unit, from the configs of its problems. Must return the same on
/// all ranks, so it reads nothing but its argument.
using CostFunction = std::function<double(const std::vector<contextual::Config>&)>;

/// Visits the `k` assignments of the least predicted cost, with three samples each, and chooses the one with
/// the shortest makespan. One that turns out to be infeasible is replaced by the next of the prediction. It
/// predicts the cost of every assignment, so the space must not be huge.
class ModelTopK final : public SequentialSearch {
 public:
  ModelTopK(const contextual::SearchRequest& request, const CostFunction& cost, std::size_t k)
      : SequentialSearch(request, 3), k_(k) {
    Assignment assignment(request.problems.size(), 0);
    do {
      if (usable(assignment)) {
        ranked_.emplace_back(cost(configs_of(assignment)), assignment);
      }
    } while (to_next(assignment));
    std::sort(ranked_.begin(), ranked_.end());  // equal costs in the order of the config ids
    begin();
  }

  std::optional<Assignment> best() const override { return shortest(); }
  std::string reason() const override {
    return "the shortest of the " + std::to_string(k_) + " that the model predicts to be the cheapest";
  }

 private:
  std::optional<Assignment> next_visit() override {
    if (place_ > 0 && usable(ranked_[place_ - 1].second)) {
      ++visited_;  // the last one has neither failed nor been rejected
    }
    if (visited_ >= k_ || place_ >= ranked_.size()) {
      return std::nullopt;
    }
    return ranked_[place_++].second;
  }

  std::vector<contextual::Config> configs_of(const Assignment& assignment) const {
    std::vector<contextual::Config> configs;
    for (std::size_t problem = 0; problem < assignment.size(); ++problem) {
      configs.push_back(request().problems[problem].configs[assignment[problem]].parameters);
    }
    return configs;
  }

  /// Counts through all assignments, as an odometer does. Returns false after the last one.
  bool to_next(Assignment& assignment) const {
    for (std::size_t problem = 0; problem < assignment.size(); ++problem) {
      if (++assignment[problem] < request().problems[problem].configs.size()) {
        return true;
      }
      assignment[problem] = 0;
    }
    return false;
  }

  std::size_t k_;
  std::vector<std::pair<double, Assignment>> ranked_;  ///< cheapest first
  std::size_t place_ = 0;                              ///< in `ranked_`, of what comes next
  std::size_t visited_ = 0;
};

}  // namespace examples
