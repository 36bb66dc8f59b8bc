#include "contextual/policy/walk.hpp"
#include "support/catch.hpp"

#include <random>

namespace contextual::policy::walk_order_test {

using Order = policy::Walk::Order;

namespace {

Walk table(const std::vector<bool>& left_out, int n_warmup, int n_repeat) {
  return {Order::table, left_out, n_warmup, n_repeat};
}

/// Returns how often each config was sampled in a race.
std::map<std::size_t, int> race(std::size_t configs, int n_repeat,
                                const std::function<std::int64_t(const Step&)>& time_ns) {
  Walk walk(Order::race, std::vector<bool>(configs), 3, n_repeat);
  std::map<std::size_t, int> samples;
  for (int steps = 0; !walk.plan(1).empty(); ++steps) {
    REQUIRE(steps < 1000);
    const Step step = walk.plan(1).front();
    samples[step.config_id] += step.warmup ? 0 : 1;
    walk.observe(step, time_ns(step));
  }
  return samples;
}

}  // namespace

TEST_CASE("walk: the table goes config by config, warm-ups first") {
  const Walk walk = table({false, false}, 1, 2);
  const std::vector<Step> expected = {{0, 0, true}, {0, 1, false}, {0, 2, false},
                                      {1, 0, true}, {1, 1, false}, {1, 2, false}};
  CHECK(walk.plan(100) == expected);
  CHECK(walk.plan(2).size() == 2);
  CHECK(walk.remaining_steps() == 6);
}

TEST_CASE("walk: the table has each config once, however the times differ") {
  Walk walk = table({false, false, false}, 2, 2);
  int steps = 0;
  for (; !walk.plan(1).empty(); ++steps) {
    REQUIRE(walk.remaining_steps() == static_cast<std::size_t>(12 - steps));
    walk.observe(walk.plan(1).front(), 100 + steps * steps);
  }
  CHECK(steps == 12);
  CHECK(walk.remaining_steps() == 0);
}

TEST_CASE("walk: configs that are left out or rejected are passed over") {
  Walk walk = table({false, true, false, false}, 1, 1);
  walk.reject(3);
  walk.reject(3);
  CHECK(walk.plan(100) == std::vector<Step>{{0, 0, true}, {0, 1, false}, {2, 0, true}, {2, 1, false}});
  walk.observe({0, 0, true}, std::nullopt);
  walk.reject(0);
  CHECK(walk.plan(1) == std::vector<Step>{{2, 0, true}});
  CHECK(walk.remaining_steps() == 2);
  walk.reject(2);
  CHECK(walk.plan(1).empty());
  CHECK(walk.remaining_steps() == 0);
}

TEST_CASE("walk: a sample without a time stays due") {
  for (const Order order : {Order::table, Order::race}) {
    Walk walk(order, {false}, 1, 2);
    walk.observe({0, 0, true}, std::nullopt);
    walk.observe({0, 1, false}, std::nullopt);
    CHECK(walk.plan(1) == std::vector<Step>{{0, 1, false}});
    walk.observe({0, 1, false}, 10);
    walk.observe({0, 2, false}, 10);
    CHECK(walk.plan(5).empty());
  }
}

TEST_CASE("walk: in a race, lost times are taken again, and change no choice") {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const std::size_t configs = 2 + random() % 5;
    Walk complete(Order::race, std::vector<bool>(configs), 1, 5);
    Walk lossy = complete;
    while (!complete.plan(1).empty()) {
      const Step step = complete.plan(1).front();
      const auto time_ns = static_cast<std::int64_t>(100 + 10 * step.config_id + random() % 30);
      complete.observe(step, time_ns);
      while (!step.warmup && random() % 3 == 0) {
        lossy.observe(step, std::nullopt);
      }
      CHECK(lossy.plan(1) == std::vector<Step>{step});
      lossy.observe(step, time_ns);
      CHECK(lossy.remaining_steps() == complete.remaining_steps());
    }
    CHECK(lossy.plan(1).empty());
  }
}

TEST_CASE("walk: what it is told of a step that is not due is ignored") {
  Walk walk = table({false, false}, 1, 1);
  walk.observe({1, 0, true}, std::nullopt);
  walk.observe({0, 1, false}, 10);
  CHECK(walk.plan(1) == std::vector<Step>{{0, 0, true}});
  CHECK(walk.remaining_steps() == 4);
}

TEST_CASE("walk: in a race, what is surely slower drops out, and one config that is left ends it") {
  const auto samples = race(3, 9, [](const Step& step) {
    return std::vector<std::int64_t>{200, 100, 300}[step.config_id] + step.iteration;
  });
  CHECK(samples == std::map<std::size_t, int>{{0, 2}, {1, 2}, {2, 2}});
}

TEST_CASE("walk: in a race, configs that cannot be told apart get their samples") {
  const auto samples = race(3, 5, [](const Step& step) {
    return step.config_id == 2 ? std::int64_t{500} : 100 + std::int64_t{step.iteration} * 7 % 5;
  });
  CHECK(samples.at(0) == 6);  // in visits of two
  CHECK(samples.at(1) == 6);
  CHECK(samples.at(2) == 2);
}

TEST_CASE("walk: in a race, the first use in each visit is a warm-up") {
  const Walk walk(Order::race, {false, false}, 3, 4);
  const std::vector<Step> steps = walk.plan(10);
  REQUIRE(steps.size() == 6);  // what comes after the first round depends on it
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CHECK(steps[i].warmup == (i % 3 == 0));
    CHECK(steps[i].config_id == i / 3);
  }
}

TEST_CASE("walk: in a race, the remaining steps are those to come if nothing drops out") {
  Walk walk(Order::race, {false, false, false}, 3, 5);
  std::vector<std::size_t> remaining;
  while (!walk.plan(1).empty()) {
    REQUIRE(remaining.size() < 100);
    remaining.push_back(walk.remaining_steps());
    walk.observe(walk.plan(1).front(), 100);
  }
  CHECK(remaining.size() == 3 * 3 * 3);  // three rounds of three visits of three uses
  for (std::size_t i = 0; i < remaining.size(); ++i) {
    CHECK(remaining[i] == remaining.size() - i);
  }
}

TEST_CASE("walk: a race is over as soon as all that are left have their samples") {
  const auto samples = race(2, 4, [](const Step&) { return std::int64_t{100}; });
  CHECK(samples == std::map<std::size_t, int>{{0, 4}, {1, 4}});
}

TEST_CASE("walk: in a race, the first one of two with the same median leads") {
  const auto samples = race(3, 4, [](const Step& step) {
    const std::int64_t spread = step.iteration % 2 == 0 ? -10 : 10;
    return std::vector<std::int64_t>{100, 100 + spread, 105}[step.config_id];
  });
  CHECK(samples.at(1) == 4);
  CHECK(samples.at(2) == 2);  // longer than the first one ever was, but not than the second one
}

TEST_CASE("walk: in a race, a rejected config is passed over, and the others go on") {
  Walk walk(Order::race, {false, false}, 1, 4);
  walk.observe({0, 0, true}, 100);
  walk.reject(0);
  CHECK(walk.plan(10) == std::vector<Step>{{1, 0, true}, {1, 1, false}, {1, 2, false}});
  CHECK(walk.remaining_steps() == 6);
  walk.reject(1);
  CHECK(walk.plan(10).empty());
}

}  // namespace contextual::policy::walk_order_test
