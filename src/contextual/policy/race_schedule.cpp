#include "contextual/policy/race_schedule.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace contextual::policy {
namespace {

constexpr std::size_t samples_per_visit = 2;
constexpr std::size_t visit_length = 1 + samples_per_visit;

class RaceSchedule final : public Schedule {
 public:
  explicit RaceSchedule(const ScheduleRequest& request)
      : configs_(request.config_count), least_(static_cast<std::size_t>(request.n_repeat)) {
    for (std::size_t id = 0; id < request.left_out.size(); ++id) {
      configs_[id].out = request.left_out[id];
    }
    begin_round();
  }

  std::vector<Step> plan(std::size_t max_steps) const override {
    std::vector<Step> steps;
    std::size_t done = done_;
    for (std::size_t place = place_; place < round_.size() && steps.size() < max_steps; ++place) {
      int use = configs_[round_[place]].uses;
      for (; done <= samples_per_visit && !configs_[round_[place]].out && steps.size() < max_steps; ++done) {
        steps.push_back({round_[place], use++, done == 0});
      }
      done = 0;
    }
    return steps;
  }

  void observe(const Observation& observation) override {
    const std::vector<Step> due = plan(1);
    const bool counts = observation.step.warmup || observation.time_ns.has_value();
    if (due.empty() || due.front() != observation.step || !counts) {
      return;  // a repeat without a time stays due
    }
    Entry& config = configs_[observation.step.config_id];
    ++config.uses;
    if (observation.time_ns) {
      config.least_ns = std::min(config.least_ns, *observation.time_ns);
    }
    if (!observation.step.warmup) {
      config.samples_ns.push_back(*observation.time_ns);
    }
    if (++done_ > samples_per_visit) {
      step_on();
    }
  }

  void reject(std::size_t config_id) override {
    if (config_id < configs_.size() && !configs_[config_id].out) {
      configs_[config_id].out = true;
      if (place_ < round_.size() && round_[place_] == config_id) {
        step_on();
      }
      skip_rejected();
    }
  }

  /// As if nothing dropped out any more.
  std::size_t remaining_steps() const override {
    std::size_t live = 0;
    std::size_t steps = 0;
    for (std::size_t place = 0; place < round_.size(); ++place) {
      const bool in = !configs_[round_[place]].out;
      live += in ? 1 : 0;
      steps += in && place >= place_ ? visit_length : 0;
    }
    const std::size_t known = rounds_ * samples_per_visit;  // samples of each, after this round
    const std::size_t missing = least_ - std::min(least_, known);
    const std::size_t later_rounds = (missing + samples_per_visit - 1) / samples_per_visit;
    return steps - done_ + later_rounds * live * visit_length;
  }

 private:
  struct Entry {
    bool out = false;  ///< left out, rejected, or surely slower
    int uses = 0;
    std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();  ///< of all uses
    std::vector<std::int64_t> samples_ns;
  };

  void step_on() {
    ++place_;
    done_ = 0;
    skip_rejected();
  }

  void skip_rejected() {
    while (place_ < round_.size() && configs_[round_[place_]].out) {
      ++place_;
      done_ = 0;
    }
    if (place_ == round_.size() && !round_.empty()) {
      begin_round();
    }
  }

  bool complete(const Entry& config) const { return config.samples_ns.size() >= least_; }

  /// A lead-in counts, too: it is too long, if anything, and the machine hardly stalls three uses in a row.
  void drop_slower() {
    const Summary* leader = nullptr;
    std::vector<Summary> summaries;
    for (const Entry& config : configs_) {
      summaries.push_back(summarize(config.samples_ns, Statistic::median));
    }
    for (std::size_t id = 0; id < configs_.size(); ++id) {
      if (!configs_[id].out && summaries[id].count > 0 &&
          (leader == nullptr || summaries[id].centre_ns < leader->centre_ns)) {
        leader = &summaries[id];
      }
    }
    for (std::size_t id = 0; id < configs_.size() && leader != nullptr; ++id) {
      const bool slower = static_cast<double>(configs_[id].least_ns) > leader->greatest_ns;
      configs_[id].out = configs_[id].out || (slower && summaries[id].count > 0);
    }
  }

  /// Afterwards the round holds what is still in the race, or nothing if that is over.
  void begin_round() {
    ++rounds_;
    drop_slower();
    round_.clear();
    place_ = 0;
    done_ = 0;
    bool open = false;
    for (std::size_t id = 0; id < configs_.size(); ++id) {
      if (!configs_[id].out) {
        round_.push_back(id);
        open = open || !complete(configs_[id]);
      }
    }
    const bool decided = round_.size() == 1 && !configs_[round_.front()].samples_ns.empty();
    if (!open || decided) {
      round_.clear();
    }
  }

  std::vector<Entry> configs_;
  std::size_t least_;               ///< samples of a config that stays to the end
  std::vector<std::size_t> round_;  ///< the configs of the current round
  std::size_t rounds_ = 0;          ///< begun so far
  std::size_t place_ = 0;           ///< in the round
  std::size_t done_ = 0;            ///< uses of the config at this place, in this round
};

}  // namespace

std::unique_ptr<Schedule> race_schedule(const ScheduleRequest& request) {
  walk_schedule(request);  // checks the request
  return std::make_unique<RaceSchedule>(request);
}

}  // namespace contextual::policy
