#include "support/catch.hpp"

#include <contextual/testing/schedule_conformance.hpp>

#include <memory>

namespace schedule_conformance_test {

using namespace contextual;
using contextual::testing::check_schedule;

namespace {

enum class Defect {
  none,
  plans_forever,
  ends_with_steps_left,
  steps_left_at_end,
  tries_left_out,
  ignores_rejections,
  no_warmup,
  wrong_iteration,
  forgets_lost_repeat,
  differs_by_instance,
  plan_changes,
  short_bound,
  skips_default,
  unknown_config,
  greedy_plan,
  throws,
};

/// `walk_schedule` but for its defect.
class BrokenSchedule final : public Schedule {
 public:
  BrokenSchedule(ScheduleRequest request, Defect defect)
      : defect_(defect), request_(std::move(request)), instance_(instances++) {
    if (defect == Defect::tries_left_out) {
      request_.left_out.clear();
    }
    walk_ = walk_schedule(request_);
    if (defect == Defect::skips_default && request_.config_count > 1) {
      walk_->reject(0);
    }
  }

  std::vector<Step> plan(std::size_t max_steps) const override {
    if (is(Defect::throws)) {
      throw std::runtime_error("no plan");
    }
    if (is(Defect::ends_with_steps_left) && walk_->remaining_steps() == 1) {
      return {};
    }
    std::vector<Step> steps = walk_->plan(is(Defect::greedy_plan) ? max_steps + 1 : max_steps);
    if (is(Defect::plans_forever) && steps.empty()) {
      return {Step{0, request_.n_warmup + request_.n_repeat, false}};
    }
    for (Step& step : steps) {
      spoil(step);
    }
    ++plans_;
    return steps;
  }

  void observe(const Observation& observation) override {
    const std::vector<Step> due = walk_->plan(1);
    Observation seen = observation;
    if (!due.empty()) {
      seen.step = due.front();
    }
    if (is(Defect::forgets_lost_repeat) && !seen.time_ns) {
      seen.time_ns = 1;
    }
    if (!is(Defect::plans_forever) || !due.empty()) {
      walk_->observe(seen);
    }
  }

  void reject(std::size_t config_id) override {
    if (!is(Defect::ignores_rejections)) {
      walk_->reject(config_id);
    }
  }

  std::size_t remaining_steps() const override {
    const std::size_t remaining = walk_->remaining_steps();
    if (is(Defect::steps_left_at_end)) {
      return remaining + 1;
    }
    return is(Defect::short_bound) && remaining > 1 ? remaining / 2 : remaining;
  }

 private:
  bool is(Defect defect) const { return defect_ == defect; }

  void spoil(Step& step) const {
    if (is(Defect::no_warmup)) {
      step.warmup = false;
    }
    if (is(Defect::wrong_iteration)) {
      ++step.iteration;
    }
    if (is(Defect::unknown_config)) {
      step.config_id += request_.config_count;
    }
    if (is(Defect::differs_by_instance)) {
      step.warmup = step.warmup || instance_ % 2 == 1;
    }
    if (is(Defect::plan_changes)) {
      step.warmup = plans_ % 2 == 0;
    }
  }

  static inline int instances = 0;

  const Defect defect_;
  ScheduleRequest request_;
  const int instance_;
  mutable int plans_ = 0;
  std::unique_ptr<Schedule> walk_;
};

std::string violations_of(Defect defect) {
  std::string text;
  const ScheduleFactory factory = [defect](const ScheduleRequest& request) {
    return std::make_unique<BrokenSchedule>(request, defect);
  };
  for (const std::string& line : check_schedule(factory)) {
    text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("check_schedule: the documented walk conforms", "[unit]") {
  CHECK(check_schedule(walk_schedule) == std::vector<std::string>{});
  CHECK(violations_of(Defect::none) == "");
}

TEST_CASE("check_schedule: every planted defect is named", "[unit]") {
  CHECK_THAT(violations_of(Defect::plans_forever),
             ContainsSubstring("plan() is empty and remaining_steps()"));
  CHECK_THAT(violations_of(Defect::ends_with_steps_left),
             ContainsSubstring("plan() is empty and remaining_steps()"));
  CHECK_THAT(violations_of(Defect::steps_left_at_end),
             ContainsSubstring("plan() is empty and remaining_steps()"));
  CHECK_THAT(violations_of(Defect::tries_left_out),
             ContainsSubstring("a config that is left out is planned"));
  CHECK_THAT(violations_of(Defect::ignores_rejections), ContainsSubstring("a rejected config is planned"));
  CHECK_THAT(violations_of(Defect::no_warmup), ContainsSubstring("is not a warm-up"));
  CHECK_THAT(violations_of(Defect::wrong_iteration), ContainsSubstring("Step::iteration"));
  CHECK_THAT(violations_of(Defect::forgets_lost_repeat), ContainsSubstring("has no time"));
  CHECK_THAT(violations_of(Defect::differs_by_instance), ContainsSubstring("two instances plan differently"));
  CHECK_THAT(violations_of(Defect::plan_changes), ContainsSubstring("plan() changes without an observation"));
  CHECK_THAT(violations_of(Defect::short_bound), ContainsSubstring("remaining_steps()"));
  CHECK_THAT(violations_of(Defect::skips_default),
             ContainsSubstring("the default (config 0) is never sampled"));
  CHECK_THAT(violations_of(Defect::unknown_config), ContainsSubstring("a config that does not exist"));
  CHECK_THAT(violations_of(Defect::greedy_plan), ContainsSubstring("more steps than were asked for"));
  CHECK_THAT(violations_of(Defect::throws), ContainsSubstring("the schedule throws: no plan"));
}

TEST_CASE("check_schedule: a factory that makes nothing is a violation", "[unit]") {
  CHECK(check_schedule({}) == std::vector<std::string>{"the factory is empty"});
  CHECK_THAT(check_schedule([](const ScheduleRequest&) { return nullptr; }).front(),
             ContainsSubstring("the factory makes no schedule"));
}

}  // namespace schedule_conformance_test
