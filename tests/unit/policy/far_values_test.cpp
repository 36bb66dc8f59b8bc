#include "contextual/policy/far_values.hpp"

#include "support/catch.hpp"

namespace contextual::policy::far_values_test {

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
  const auto cause = [&](std::size_t count, std::size_t slow) {
    return judge_far(share_of(runs(count, slow, 250'000)), calm).cause;
  };
  CHECK(cause(5, 0) == FarCause::machine);
  CHECK(cause(5, 1) == FarCause::unclear);
  CHECK(cause(40, 1) == FarCause::machine);
  CHECK(cause(30, 10) == FarCause::set);
}

TEST_CASE("holds 23: a set's own far values are alike, and a stall beside them does not hide them") {
  const FarShare unknown{0, 10};
  std::vector<double> slow_and_stalled = runs(20, 2, 300'000);
  slow_and_stalled.front() = 2'500'000;
  CHECK(judge_far(share_of(slow_and_stalled), unknown).cause == FarCause::unclear);
  std::vector<double> stalled = runs(27, 3, 500'000);
  stalled.front() = 1'200'000;
  stalled.back() = 3'500'000;
  CHECK_FALSE(judge_far(share_of(stalled), unknown).likelier_set);

  std::vector<double> of_many_lengths(36, 100'000);
  for (std::size_t i = 0; i < 12; ++i) {
    of_many_lengths.push_back(150'000 + 25'000 * static_cast<double>(i));
  }
  CHECK(judge_far(share_of(of_many_lengths), share_of(runs(100, 3, 900'000))).cause == FarCause::set);
}

}  // namespace contextual::policy::far_values_test
