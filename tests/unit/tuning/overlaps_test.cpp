#include "contextual/tuning/overlaps.hpp"

#include "support/catch.hpp"

namespace contextual::tuning::overlaps_test {

namespace {

using Spans = std::vector<Span>;

LaunchTiming launch(const Spans& spans, bool idle = false) {
  LaunchTiming timing;
  timing.spans = spans;
  timing.idle = idle;
  return timing;
}

std::vector<bool> overlaps(const std::vector<Spans>& launches, const std::optional<Spans>& others) {
  IterationOverlaps iteration;
  for (std::size_t problem = 0; problem < launches.size(); ++problem) {
    iteration.add_launch(problem, launch(launches[problem]));
  }
  iteration.set_others(others);
  return iteration.by_problem(launches.size());
}

}  // namespace

TEST_CASE("overlaps: problems one after the other do not overlap") {
  IterationOverlaps iteration;
  iteration.add_launch(0, launch({{0, 10, 0}}));
  iteration.add_launch(1, launch({{10, 20, 0}, {25, 30, 0}}));
  iteration.add_launch(0, launch({{30, 40, 0}}));
  iteration.add_launch(2, launch({{0, 99, 1}}));
  iteration.set_others(Spans{{40, 50, 0}});
  CHECK(iteration.by_problem(3) == std::vector<bool>{false, false, false});
}

TEST_CASE("overlaps: what runs between two kernels of a launch overlaps it") {
  CHECK(overlaps({{{0, 10, 0}, {30, 40, 0}}, {{10, 30, 0}}, {{50, 60, 0}}}, Spans{}) ==
        std::vector<bool>{true, true, false});
  CHECK(overlaps({{{0, 10, 0}, {30, 40, 0}}}, Spans{{12, 20, 0}}) == std::vector<bool>{true});
}

TEST_CASE("overlaps: only the problems that overlap each other are named") {
  CHECK(overlaps({{{0, 10, 0}}, {{20, 30, 0}}, {{5, 15, 0}}, {{40, 50, -1}}, {{45, 60, -1}}}, Spans{}) ==
        std::vector<bool>{true, false, true, true, true});
}

TEST_CASE("overlaps: work that belongs to no launch counts, and counts for all if it is not known") {
  CHECK(overlaps({{{0, 10, 0}}, {{20, 30, 0}}}, Spans{{22, 23, 0}}) == std::vector<bool>{false, true});
  CHECK(overlaps({{{0, 10, 0}}, {{20, 30, 0}}}, std::nullopt) == std::vector<bool>{true, true});
}

TEST_CASE("overlaps: a launch without a time may overlap anything") {
  CHECK(overlaps({{{0, 10, 0}}, {}}, Spans{}) == std::vector<bool>{true, true});
}

TEST_CASE("overlaps: a launch that kept no device busy leaves its work to others, and says nothing of them") {
  IterationOverlaps iteration;
  iteration.add_launch(0, launch({{0, 100, 0}}));
  iteration.add_launch(1, launch({}, true));
  iteration.set_others(Spans{});
  CHECK(iteration.by_problem(2) == std::vector<bool>{false, true});
}

TEST_CASE("overlaps: a coupled launch may wait for others, which it then overlaps") {
  IterationOverlaps iteration;
  iteration.add_launch(0, launch({{0, 100, 0}}));
  iteration.add_launch(1, launch({{100, 200, 0}}), true);
  iteration.set_others(Spans{});
  CHECK(iteration.by_problem(2) == std::vector<bool>{false, true});
}

TEST_CASE("overlaps: several launches of one problem do not overlap each other") {
  IterationOverlaps iteration;
  iteration.add_launch(2, launch({{0, 100, 0}}));
  iteration.add_launch(2, launch({{50, 150, 0}}));
  iteration.set_others(Spans{});
  CHECK(iteration.by_problem(3) == std::vector<bool>{false, false, false});
  CHECK(iteration.by_problem(4) == std::vector<bool>{false, false, false, false});
}

}  // namespace contextual::tuning::overlaps_test
