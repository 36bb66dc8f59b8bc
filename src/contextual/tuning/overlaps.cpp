#include "contextual/tuning/overlaps.hpp"

#include <contextual/detail/measure/spans.hpp>

#include <algorithm>

namespace contextual::tuning {

void IterationOverlaps::add_launch(std::size_t problem, const LaunchTiming& launch, bool coupled) {
  launches_known_ = launches_known_ && (launch.idle || !launch.spans.empty());
  if (launch.idle || coupled) {
    with_others_.push_back(problem);
  }
  spans_.resize(std::max(spans_.size(), problem + 1));
  spans_[problem].insert(spans_[problem].end(), launch.spans.begin(), launch.spans.end());
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
  std::vector<std::vector<Span>> busy;
  busy.reserve(spans_.size());
  for (const std::vector<Span>& spans : spans_) {
    busy.push_back(measure::merged(spans));
  }
  overlaps.resize(std::max(problem_count, busy.size()), false);
  for (const std::size_t problem : with_others_) {
    overlaps[problem] = true;
  }
  for (std::size_t one = 0; one < busy.size(); ++one) {
    overlaps[one] = overlaps[one] || measure::overlap(busy[one], others);
    for (std::size_t other = one + 1; other < busy.size(); ++other) {
      if (!(overlaps[one] && overlaps[other]) && measure::overlap(busy[one], busy[other])) {
        overlaps[one] = overlaps[other] = true;
      }
    }
  }
  overlaps.resize(problem_count);
  return overlaps;
}

}  // namespace contextual::tuning
