#include "contextual/record/tuning_time.hpp"

#include <algorithm>

namespace contextual::record {

std::int64_t TuningTime::total_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end_.value_or(now_()) - begin_).count();
}

void TuningTime::end_batch(std::size_t iteration_count) {
  const std::int64_t total = total_ns();
  iteration_ns_ = static_cast<double>(total - batches_ns_) /
                  static_cast<double>(std::max<std::size_t>(1, iteration_count));
  batches_ns_ = total;
}

std::int64_t TuningTime::walk_ns(std::size_t problem) const {
  const auto walk = walks_ns_.find(problem);
  return walk == walks_ns_.end() ? 0 : static_cast<std::int64_t>(walk->second);
}

}  // namespace contextual::record
