#include <contextual/error.hpp>
#include <contextual/schedule.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace contextual {

Schedule::~Schedule() = default;

namespace {

/// Config by config; the whole state is "which config, which use of it".
class WalkSchedule final : public Schedule {
 public:
  explicit WalkSchedule(const ScheduleRequest& request)
      : out_(request.left_out), n_warmup_(request.n_warmup), uses_(request.n_warmup + request.n_repeat) {
    out_.resize(request.config_count, false);
    skip_finished();
  }

  std::vector<Step> plan(std::size_t max_steps) const override {
    std::vector<Step> steps;
    int use = use_;
    for (std::size_t config = config_; config < out_.size() && steps.size() < max_steps; ++config) {
      for (; !out_[config] && use < uses_ && steps.size() < max_steps; ++use) {
        steps.push_back({config, use, use < n_warmup_});
      }
      use = 0;
    }
    return steps;
  }

  void observe(const Observation& observation) override {
    const std::vector<Step> due = plan(1);
    const bool counts = observation.step.warmup || observation.time_ns.has_value();
    if (due.empty() || due.front() != observation.step || !counts) {
      return;  // a repeat without a time stays due
    }
    if (++use_ == uses_) {
      out_[config_] = true;
      skip_finished();
    }
  }

  void reject(std::size_t config_id) override {
    if (config_id < out_.size()) {
      out_[config_id] = true;
      skip_finished();
    }
  }

  std::size_t remaining_steps() const override {
    std::size_t live = 0;
    for (std::size_t config = config_; config < out_.size(); ++config) {
      live += out_[config] ? 0 : 1;
    }
    return live * static_cast<std::size_t>(uses_) - static_cast<std::size_t>(use_);
  }

 private:
  /// Afterwards `config_` is the config that is due, or one past the last.
  void skip_finished() {
    while (config_ < out_.size() && out_[config_]) {
      ++config_;
      use_ = 0;
    }
  }

  std::vector<bool> out_;  ///< left out, rejected or complete
  int n_warmup_;
  int uses_;
  std::size_t config_ = 0;
  int use_ = 0;
};

void check(const ScheduleRequest& request) {
  if (request.config_count == 0) {
    throw InvalidArgument(
        "walk_schedule: config_count is 0; a tuning problem has at least its default config");
  }
  const std::vector<bool>& left_out = request.left_out;
  if (!left_out.empty() && left_out.size() != request.config_count) {
    throw InvalidArgument("walk_schedule: left_out has " + std::to_string(left_out.size()) + " entries for " +
                          std::to_string(request.config_count) + " configs; give one per config, or none");
  }
  if (!left_out.empty() && std::find(left_out.begin(), left_out.end(), false) == left_out.end()) {
    throw InvalidArgument(
        "walk_schedule: every config is left out; leave in one at least, such as the default");
  }
  if (request.n_warmup < 1 || request.n_repeat < 1) {
    throw InvalidArgument("walk_schedule: n_warmup is " + std::to_string(request.n_warmup) +
                          " and n_repeat is " + std::to_string(request.n_repeat) +
                          "; both must be at least 1");
  }
  if (request.n_warmup > std::numeric_limits<int>::max() - request.n_repeat) {
    throw InvalidArgument("walk_schedule: n_warmup is " + std::to_string(request.n_warmup) +
                          " and n_repeat is " + std::to_string(request.n_repeat) +
                          "; their sum must be at most " + std::to_string(std::numeric_limits<int>::max()));
  }
}

}  // namespace

std::unique_ptr<Schedule> walk_schedule(const ScheduleRequest& request) {
  check(request);
  return std::make_unique<WalkSchedule>(request);
}

}  // namespace contextual
