#include "contextual/policy/far_values.hpp"

#include "support/catch.hpp"

namespace far_values_test {

using namespace contextual::policy;

namespace {

/// So many runs, of which some take longer.
std::vector<double> runs(std::size_t count, std::size_t slow, double slow_ns) {
  std::vector<double> values(count, 100'000);
  for (std::size_t i = 0; i < slow; ++i) {
    values[i * count / slow] = slow_ns;
  }
  return values;
}

FarShare share_of(const std::vector<double>& values) {
  return far_share(values, far_limit(values));
}

double cost_of(const std::vector<double>& values, const FarShare& others) {
  double sum = 0;
  const std::vector<double> counted = settled(values, far_limit(values), others);
  for (const double value : counted) {
    sum += value / static_cast<double>(counted.size());
  }
  return sum;
}

}  // namespace

TEST_CASE("far values: what is beyond the noise of the others, but not what comes in half of the values") {
  CHECK(share_of({100, 102, 98, 101, 150}).far == 1);
  CHECK(share_of({100, 102, 98, 101, 120}).far == 0);
  CHECK(share_of({100, 140, 60, 120, 180}).far == 0);
  CHECK(share_of({100, 300, 100, 300}).far == 0);
  CHECK(share_of({100}).far == 0);
  CHECK(share_of({}).count == 0);
}

TEST_CASE("holds 23: what comes in 1 of 10 runs moves nothing, what comes in 1 of 4 counts with its weight") {
  const FarShare calm = share_of(runs(100, 1, 900'000));
  CHECK(cost_of(runs(40, 4, 900'000), calm) == Approx(100'000));
  CHECK(cost_of(runs(40, 1, 8'000'000), calm) == Approx(100'000));
  CHECK(cost_of(runs(40, 10, 200'000), calm) == Approx(125'000));
  CHECK(cost_of(runs(40, 16, 200'000), calm) == Approx(140'000));
}

TEST_CASE("holds 23: on a machine that stalls all sets, no set pays for it") {
  const FarShare loaded = share_of(runs(100, 15, 5'000'000));
  CHECK(cost_of(runs(40, 6, 6'000'000), loaded) == Approx(100'000));
  CHECK(cost_of(runs(40, 14, 200'000), loaded) > 110'000);  // shorter than stalls are: its own
}

TEST_CASE("far values: the longer they are, the less they are the set's own") {
  const FarShare calm{1, 100, 2};
  const FarShare unknown{0, 12};
  CHECK(judge_far(share_of(runs(24, 5, 350'000)), unknown).likelier_set);
  CHECK_FALSE(judge_far(share_of(runs(24, 5, 1'500'000)), unknown).likelier_set);
  std::vector<double> with_a_stall = runs(40, 10, 300'000);
  with_a_stall.front() = 8'000'000;
  CHECK(judge_far(share_of(with_a_stall), calm).cause == FarCause::set);
}

TEST_CASE("far values: a few leave it open whose they are, more samples tell") {
  const FarShare calm{1, 100, 2};
  CHECK(judge_far({0, 5, 0}, calm).cause == FarCause::machine);
  CHECK(judge_far({1, 5, 1}, calm).cause == FarCause::unclear);
  CHECK(judge_far({1, 30, 1}, calm).cause == FarCause::machine);
  CHECK(judge_far({10, 30, 8}, calm).cause == FarCause::set);
}

}  // namespace far_values_test
