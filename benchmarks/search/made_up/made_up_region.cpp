#include "search/made_up/made_up_region.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace search_replay::made_up {
namespace {

constexpr double runs_of_drift = 300;

std::vector<ReplayedProblem> problems_of(const Model& model) {
  std::vector<ReplayedProblem> problems;
  for (const Kernel& kernel : model.kernels()) {
    ReplayedProblem problem{kernel.name, {}, kernel.refinement_count};
    for (const KernelConfig& config : kernel.configs) {
      problem.configs.push_back(config.parameters);
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace

MadeUpRegion::MadeUpRegion(const Kind& kind, std::uint64_t seed)
    : random_(seed),
      kind_(kind),
      model_(kind.make_model(random_)),
      problems_(problems_of(*model_)),
      best_ns_(model_->best_ns()),
      noise_(random_.log_uniform(kind.least_noise, kind.most_noise)),
      lateness_(best_ns_) {}

std::int64_t MadeUpRegion::joins_after_runs(std::size_t problem) const {
  return problem + 1 == problems_.size() ? kind_.late_after_runs : 0;
}

std::optional<Sample> MadeUpRegion::run(const Assignment& assignment) {
  ++runs_;
  const double delay = lateness_.next(assignment, random_);
  const std::optional<Times> times = model_->times(assignment);
  if (!times) {
    return std::nullopt;
  }
  Sample sample;
  const double shorter_ns = times->makespan_ns / (1 + times->longer_share * times->longer_by);
  const bool longer = times->longer_share > 0 && random_.uniform() < times->longer_share;
  sample.makespan_ns = measured(shorter_ns * (longer ? 1 + times->longer_by : 1) * drift() * (1 + delay));
  for (const double own_ns : times->own_ns) {
    sample.times_ns.push_back(measured(own_ns * drift()));
  }
  // The last kernel waits for the others.
  sample.times_ns.back() = std::llround(static_cast<double>(sample.times_ns.back()) * (1 + delay));
  return sample;
}

double MadeUpRegion::drift() const {
  return 1 + kind_.drift * std::min(1.0, static_cast<double>(runs_) / runs_of_drift);
}

std::int64_t MadeUpRegion::measured(double time_ns) {
  return std::max<std::int64_t>(1, std::llround(time_ns * (1 + noise_ * random_.normal())));
}

std::optional<double> MadeUpRegion::truth_ns(const Assignment& assignment) const {
  const std::optional<Times> times = model_->times(assignment);
  return times ? std::optional(times->makespan_ns) : std::nullopt;
}

}  // namespace search_replay::made_up
