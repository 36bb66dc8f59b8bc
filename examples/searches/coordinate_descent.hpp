#pragma once

/// \file
/// An example of a search: coordinate descent, one config of one problem at a time.

#include "searches/sequential_search.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace examples {

/// Replaces the config of one problem, keeps the change if it makes the region shorter, and ends when no
/// single change does. It misses what only two changes together bring.
///
/// The device drifts, so a time of a minute ago is no fair measure. The incumbent is therefore visited again
/// before each challenger, and the two visits are compared.
class CoordinateDescent final : public SequentialSearch {
 public:
  explicit CoordinateDescent(const contextual::SearchRequest& request)
      : SequentialSearch(request), incumbent_(request.start) {
    for (const contextual::SearchProblem& problem : request.problems) {
      all_changes_ += problem.configs.size();
    }
    begin();
  }

  std::optional<Assignment> best() const override {
    return usable(incumbent_) && sampled(incumbent_) ? incumbent_ : shortest();
  }

  std::string reason() const override { return "no change of a single config was shorter"; }

 private:
  std::optional<Assignment> next_visit() override {
    if (challenger_due_) {
      challenger_due_ = false;
      return challenger_;
    }
    if (challenger_ && wins(*challenger_)) {
      incumbent_ = *challenger_;
      changes_tried_ = 0;
    } else if (!usable(incumbent_)) {
      incumbent_ = shortest().value_or(incumbent_);
    }
    challenger_ = next_challenger();
    challenger_due_ = challenger_.has_value();
    return challenger_due_ ? std::optional(incumbent_) : std::nullopt;
  }

  bool wins(const Assignment& challenger) const {
    if (!usable(challenger) || !sampled(challenger)) {
      return false;
    }
    if (!usable(incumbent_) || !sampled(incumbent_)) {
      return true;
    }
    const auto incumbent_ns = static_cast<double>(*latest_ns(incumbent_));
    return static_cast<double>(*latest_ns(challenger)) < incumbent_ns * (1 - request().min_gain);
  }

  /// The next change of one config, in turn; nothing once all have been tried since the incumbent won.
  std::optional<Assignment> next_challenger() {
    while (changes_tried_ < all_changes_) {
      ++changes_tried_;
      if (++config_ >= request().problems[problem_].configs.size()) {
        config_ = 0;
        problem_ = (problem_ + 1) % request().problems.size();
      }
      Assignment challenger = incumbent_;
      if (std::exchange(challenger[problem_], config_) != config_ && usable(challenger)) {
        return challenger;
      }
    }
    return std::nullopt;
  }

  Assignment incumbent_;
  std::optional<Assignment> challenger_;
  bool challenger_due_ = false;  ///< after the visit to the incumbent
  std::size_t problem_ = 0;      ///< whose config the challenger has changed
  std::size_t config_ = 0;
  std::size_t all_changes_ = 0;    ///< the number of configs of all problems
  std::size_t changes_tried_ = 0;  ///< since the incumbent won
};

}  // namespace examples
