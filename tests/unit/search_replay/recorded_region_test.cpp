#include "search/recorded_region.hpp"

#include "support/catch.hpp"

namespace recorded_region_test {

using search_replay::RecordedRegion;
using search_replay::RecordedVisit;
using search_replay::Recording;
using search_replay::Sample;

namespace {

/// Two kernels; the first has two configs, of which 1 is infeasible. Pass p takes 1000 (p + 1) us.
std::shared_ptr<const Recording> three_passes() {
  std::vector<RecordedVisit> visits;
  for (std::size_t pass = 0; pass < 3; ++pass) {
    const auto time_ns = static_cast<std::int64_t>(1'000'000 * (pass + 1));
    visits.push_back({pass, {0, 0}, {{time_ns, {500, time_ns}}}});
    visits.push_back({pass, {1, 0}, {}});
  }
  return std::make_shared<const Recording>(
      std::vector<search_replay::ReplayedProblem>{{"a", std::vector<contextual::Config>(2)},
                                                  {"b", std::vector<contextual::Config>(1)}},
      visits);
}

}  // namespace

TEST_CASE("a recorded region's passes follow each other every 100 runs, and the last one stays") {
  RecordedRegion region(three_passes(), 1);
  std::vector<std::int64_t> makespans;
  for (int run = 0; run < 400; ++run) {
    makespans.push_back(region.run({0, 0})->makespan_ns);
  }
  CHECK(makespans[98] == 1'000'000);
  CHECK(makespans[99] == 2'000'000);
  CHECK(makespans[198] == 2'000'000);
  CHECK(makespans[199] == 3'000'000);
  CHECK(makespans[399] == 3'000'000);
}

TEST_CASE("a late run of a recorded region shows in the makespan and the last kernel only") {
  RecordedRegion region(three_passes(), 1);
  const Sample late = region.run({0, 0}).value();
  CHECK(late.makespan_ns > 1'000'000);
  CHECK(late.times_ns[0] == 500);
  CHECK(late.times_ns[1] == late.makespan_ns);
}

TEST_CASE("an infeasible run of a recorded region answers nothing and costs a run") {
  RecordedRegion region(three_passes(), 1);
  CHECK_FALSE(region.run({1, 0}));
  CHECK(region.runs() == 1);
  CHECK(std::isinf(region.regret({1, 0})));
  CHECK(region.regret({0, 0}) == 0);
}

}  // namespace recorded_region_test
