#include "search/recorded_region.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace search_replay {
namespace {

constexpr std::int64_t runs_per_pass = 100;

std::int64_t delayed(std::int64_t time_ns, double delay) {
  return std::llround(static_cast<double>(time_ns) * (1 + delay));
}

}  // namespace

RecordedRegion::RecordedRegion(std::shared_ptr<const Recording> recording, std::uint64_t seed)
    : recording_(std::move(recording)), random_(seed), lateness_(recording_->best_ns()) {}

std::optional<Sample> RecordedRegion::run(const Assignment& assignment) {
  ++runs_;
  const double delay = lateness_.next(assignment, random_);
  if (!recording_->feasible(assignment)) {
    return std::nullopt;
  }
  const auto pass = static_cast<std::size_t>(runs_ / runs_per_pass);
  const std::vector<Sample>& samples =
      recording_->samples(assignment, std::min(pass, recording_->pass_count() - 1));
  Sample sample = samples[random_.below(samples.size())];
  sample.makespan_ns = delayed(sample.makespan_ns, delay);
  sample.times_ns.back() = delayed(sample.times_ns.back(), delay);
  return sample;
}

}  // namespace search_replay
