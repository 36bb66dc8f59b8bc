#include "contextual/testing/violations.hpp"

#include <contextual/testing/schedule_conformance.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace contextual::testing {
namespace {

/// What happens to one walk.
struct Scenario {
  ScheduleRequest request;
  int lose_every = 0;                  ///< every n-th repeat has no time, once; 0: none
  std::vector<std::size_t> rejected;   ///< configs that are rejected ...
  std::size_t reject_after_steps = 0;  ///< ... after this many steps

  std::string describe() const {
    std::string text = "configs " + std::to_string(request.config_count);
    text +=
        ", n_warmup " + std::to_string(request.n_warmup) + ", n_repeat " + std::to_string(request.n_repeat);
    text += request.left_out.empty() ? "" : ", some left out";
    text += lose_every > 0 ? ", times missing" : "";
    return text + (rejected.empty() ? "" : ", " + std::to_string(rejected.size()) + " rejected");
  }
};

/// Feeds one schedule, and a second instance of it, until the walk is complete.
class WalkCheck {
 public:
  WalkCheck(const ScheduleFactory& factory, const Scenario& scenario, Violations& violations)
      : scenario_(scenario),
        schedule_(factory(scenario.request)),
        twin_(factory(scenario.request)),
        violations_(violations),
        uses_(scenario.request.config_count, 0),
        samples_(scenario.request.config_count, 0),
        out_(scenario.request.config_count, false) {}

  void run() {
    if (!expect(schedule_ != nullptr && twin_ != nullptr, "the factory makes no schedule")) {
      return;
    }
    const std::size_t promised = schedule_->remaining_steps();
    // A step that lost its time is taken again; beyond that the bound holds.
    const std::size_t limit = 2 * promised + 1;
    std::size_t taken = 0;
    for (; taken < limit; ++taken) {
      reject_if_due(taken);
      const std::optional<Step> step = next_step();
      if (!step || !take(*step)) {
        break;
      }
    }
    expect(taken < limit, "the walk does not end within the steps that remaining_steps() bounds");
    expect(taken <= promised + lost_, "remaining_steps() is less than the steps that came");
    if (taken < limit) {
      expect_samples();
    }
  }

 private:
  bool expect(bool holds, const std::string& text) {
    return violations_.expect(holds, text + " [" + scenario_.describe() + "]");
  }

  bool left_out(std::size_t config) const {
    return !scenario_.request.left_out.empty() && scenario_.request.left_out[config];
  }

  /// Of the default where that is a candidate, else of some candidate.
  void expect_samples() {
    bool any_candidate = false;
    bool any_sample = false;
    for (std::size_t config = 0; config < samples_.size(); ++config) {
      any_candidate = any_candidate || (!left_out(config) && !out_[config]);
      any_sample = any_sample || samples_[config] > 0;
    }
    expect(!any_candidate || any_sample, "no candidate is ever sampled");
    if (!left_out(0) && !out_[0]) {
      expect(samples_[0] > 0, "the default (config 0) is never sampled");
    }
  }

  void reject_if_due(std::size_t taken) {
    if (taken != scenario_.reject_after_steps) {
      return;
    }
    for (const std::size_t config : scenario_.rejected) {
      for (int twice = 0; twice < 2; ++twice) {
        schedule_->reject(config);
        twin_->reject(config);
      }
      out_[config] = true;
      if (lost_step_ && lost_step_->config_id == config) {
        lost_step_.reset();
      }
    }
  }

  /// The next step after all checks of the plan; empty when the walk is complete or cannot go on.
  std::optional<Step> next_step() {
    const std::size_t remaining = schedule_->remaining_steps();
    const std::vector<Step> plan = schedule_->plan(long_plan);
    expect(schedule_->plan(long_plan) == plan, "plan() changes without an observation");
    expect(twin_->plan(long_plan) == plan, "two instances plan differently after the same observations");
    expect(plan.size() <= long_plan, "plan() gives more steps than were asked for");
    const std::vector<Step> first = schedule_->plan(1);
    expect(plan.empty() ? first.empty() : first == std::vector<Step>{plan.front()},
           "plan(1) is not the first step of a longer plan");
    expect(plan.empty() == (remaining == 0),
           "plan() is empty and remaining_steps() is not 0, or the reverse");
    if (plan.empty()) {
      return std::nullopt;
    }
    return plan.front();
  }

  bool take(const Step& step) {
    const std::size_t config = step.config_id;
    if (!expect(config < scenario_.request.config_count, "a config that does not exist is planned")) {
      return false;
    }
    expect(!left_out(config), "a config that is left out is planned");
    expect(!out_[config], "a rejected config is planned");
    expect(step.iteration == uses_[config],
           "Step::iteration is not the number of earlier uses of the config");
    expect(uses_[config] > 0 || step.warmup, "the first use of a config is not a warm-up");
    if (lost_step_ && !step.warmup && step.config_id == lost_step_->config_id) {
      expect(step == *lost_step_, "a repeat without a time is not planned again before the config goes on");
      lost_step_.reset();
    }

    const bool lose = !step.warmup && scenario_.lose_every > 0 && !just_lost_ &&
                      ++repeats_ % static_cast<std::size_t>(scenario_.lose_every) == 0;
    just_lost_ = lose;
    Observation observation{step, {}};
    if (lose) {
      lost_step_ = step;
      ++lost_;
    } else {
      observation.time_ns = 1000 + static_cast<std::int64_t>(config) * 10 + step.iteration;
      ++uses_[config];
      samples_[config] += step.warmup ? 0 : 1;
    }
    const std::size_t before = schedule_->remaining_steps();
    schedule_->observe(observation);
    twin_->observe(observation);
    const std::size_t after = schedule_->remaining_steps();
    expect(lose ? after > 0 : after < before,
           lose ? "the walk is complete although its last repeat has no time"
                : "remaining_steps() does not shrink with a step that has a time");
    return true;
  }

  static constexpr std::size_t long_plan = 7;

  const Scenario& scenario_;
  const std::unique_ptr<Schedule> schedule_;
  const std::unique_ptr<Schedule> twin_;
  Violations& violations_;
  std::vector<int> uses_;
  std::vector<int> samples_;
  std::vector<bool> out_;
  std::optional<Step> lost_step_;  ///< has to come again
  bool just_lost_ = false;
  std::size_t repeats_ = 0;
  std::size_t lost_ = 0;
};

/// Everything that happens to one shape of request.
void add_scenarios(std::size_t configs, int n_warmup, int n_repeat, std::vector<Scenario>& scenarios) {
  ScheduleRequest request;
  request.config_count = configs;
  request.n_warmup = n_warmup;
  request.n_repeat = n_repeat;
  const auto per_config = static_cast<std::size_t>(n_warmup) + static_cast<std::size_t>(n_repeat);

  scenarios.push_back({request, 0, {}, 0});
  scenarios.push_back({request, 1, {}, 0});
  scenarios.push_back({request, 3, {}, 0});
  scenarios.push_back({request, 0, {configs - 1}, 0});
  scenarios.push_back({request, 0, {0}, 1});
  scenarios.push_back({request, 2, {0, configs / 2}, per_config + 1});
  std::vector<std::size_t> all(configs);
  for (std::size_t i = 0; i < configs; ++i) {
    all[i] = i;
  }
  scenarios.push_back({request, 0, all, 2});

  request.left_out.assign(configs, false);
  for (std::size_t i = 1; i < configs; i += 2) {
    request.left_out[i] = true;
  }
  scenarios.push_back({request, 0, {}, 0});
  scenarios.push_back({request, 2, {configs - 1}, per_config});
  for (const std::size_t only : {std::size_t{0}, configs - 1}) {
    request.left_out.assign(configs, true);
    request.left_out[only] = false;
    scenarios.push_back({request, 0, {}, 0});
  }
  if (configs > 1) {  // the default alone is left out
    request.left_out.assign(configs, false);
    request.left_out[0] = true;
    scenarios.push_back({request, 0, {}, 0});
    scenarios.push_back({request, 3, {configs - 1}, per_config});
    scenarios.push_back({request, 0, {0}, 1});  // a first launch of it failed
  }
}

}  // namespace

std::vector<std::string> check_schedule(const ScheduleFactory& factory) {
  Violations violations;
  if (!violations.expect(static_cast<bool>(factory), "the factory is empty")) {
    return violations.take();
  }
  std::vector<Scenario> scenarios;
  for (const std::size_t configs : {1U, 2U, 3U, 8U}) {
    for (const auto& [n_warmup, n_repeat] : {std::pair{1, 1}, std::pair{3, 5}, std::pair{1, 2}}) {
      add_scenarios(configs, n_warmup, n_repeat, scenarios);
    }
  }
  for (const Scenario& scenario : scenarios) {
    try {
      WalkCheck(factory, scenario, violations).run();
    } catch (const std::exception& error) {
      violations.add(std::string("the schedule throws: ") + error.what() + " [" + scenario.describe() + "]");
    }
  }
  return violations.take();
}

}  // namespace contextual::testing
