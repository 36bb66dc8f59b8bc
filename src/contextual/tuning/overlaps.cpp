#include "contextual/tuning/overlaps.hpp"

#include <contextual/detail/measure/spans.hpp>

#include <algorithm>
#include <utility>

namespace contextual::tuning {

void IterationOverlaps::add_launch(std::size_t problem, const LaunchTiming& launch, bool coupled) {
  launches_known_ = launches_known_ && (launch.idle || !launch.spans.empty());
  if (launch.idle || coupled) {
    with_others_.push_back(problem);
  }
  spans_.resize(std::max(spans_.size(), problem + 1));
  const std::vector<Span> extents = measure::extents(launch.spans);
  spans_[problem].insert(spans_[problem].end(), extents.begin(), extents.end());
}

void IterationOverlaps::set_others(const std::optional<std::vector<Span>>& spans) {
  others_known_ = spans.has_value();
  others_ = spans.value_or(std::vector<Span>{});
}

std::vector<bool> IterationOverlaps::by_problem(std::size_t problem_count) const {
  std::vector<bool> overlaps(problem_count, !others_known_ || !launches_known_);
  if (!others_known_ || !launches_known_) {
    return overlaps;
  }
  const std::vector<Span> others = measure::merged(others_);
  overlaps.resize(std::max(problem_count, spans_.size()), false);
  for (const std::size_t problem : with_others_) {
    overlaps[problem] = true;
  }
  std::vector<std::pair<std::size_t, std::vector<Span>>> busy;  // a few of what may be thousands of problems
  for (std::size_t problem = 0; problem < spans_.size(); ++problem) {
    if (!spans_[problem].empty()) {
      busy.emplace_back(problem, measure::merged(spans_[problem]));
    }
  }
  for (auto one = busy.begin(); one != busy.end(); ++one) {
    overlaps[one->first] = overlaps[one->first] || measure::overlap(one->second, others);
    for (auto other = one + 1; other != busy.end(); ++other) {
      if (!(overlaps[one->first] && overlaps[other->first]) && measure::overlap(one->second, other->second)) {
        overlaps[one->first] = overlaps[other->first] = true;
      }
    }
  }
  overlaps.resize(problem_count);
  return overlaps;
}

}  // namespace contextual::tuning
