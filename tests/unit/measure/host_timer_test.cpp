#include "support/catch.hpp"

#include <contextual/testing/timer_conformance.hpp>
#include <contextual/timer.hpp>

namespace contextual::host_timer_test {

namespace {

Deadline soon() {
  return Deadline::after(std::chrono::seconds(10));
}

}  // namespace

TEST_CASE("host_timer: notes become one host span of their difference") {
  const auto timer = host_timer();
  std::vector<LaunchTiming> launches{{{1000, 1250}, 0, {}}};
  std::vector<IterationTiming> iterations{{{500, 2500}, 0, 0}};
  timer->settle(launches, iterations, soon());
  REQUIRE(launches[0].spans.size() == 1);
  CHECK(launches[0].spans[0].begin_ns == 1000);
  CHECK(launches[0].spans[0].end_ns == 1250);
  CHECK(launches[0].spans[0].device == -1);
  CHECK(iterations[0].makespan_ns == 2000);
}

TEST_CASE("host_timer: a launch or iteration that did not end after its begin has no time") {
  const auto timer = host_timer();
  std::vector<LaunchTiming> launches{{{1000, 0}, 0, {}}, {{1000, 1000}, 0, {}}, {{1000, 900}, 0, {}}};
  std::vector<IterationTiming> iterations{{{500, 0}, 0, 0}, {{500, 500}, 1, 0}};
  timer->settle(launches, iterations, soon());
  for (const LaunchTiming& launch : launches) {
    CHECK(launch.spans.empty());
  }
  for (const IterationTiming& iteration : iterations) {
    CHECK(iteration.makespan_ns == 0);
  }
}

TEST_CASE("host_timer: settled twice, a launch keeps one span") {
  const auto timer = host_timer();
  std::vector<LaunchTiming> launches{{{1000, 1250}, 0, {}}};
  timer->settle(launches, {}, soon());
  timer->settle(launches, {}, soon());
  CHECK(launches[0].spans.size() == 1);
}

TEST_CASE("host_timer: conforms") {
  CHECK(testing::check_timer(host_timer) == std::vector<std::string>{});
}

}  // namespace contextual::host_timer_test
