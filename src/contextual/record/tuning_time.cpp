#include "contextual/record/tuning_time.hpp"

#include <algorithm>

namespace contextual::record {

void TuningTime::pause() {
  if (!paused_at_) {
    paused_at_ = now_();
  }
}

void TuningTime::resume() {
  if (paused_at_) {
    pauses_ += now_() - *paused_at_;
    paused_at_.reset();
  }
}

std::int64_t TuningTime::total_ns() const {
  const Clock::time_point end = paused_at_ ? *paused_at_ : now_();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin_ - pauses_).count();
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
