#include "contextual/policy/search/covariance.hpp"

#include "support/catch.hpp"

namespace contextual::policy::search::covariance_test {

namespace {

/// Powers of two, so that every sum of terms is different.
Variances distinct() {
  return {.common = 1,
          .config = 2,
          .parameter = 4,
          .pair = 8,
          .assignment = 16,
          .drift = 32,
          .own_drift = 64,
          .sample = 128};
}

SearchSpace two_problems() {
  const SearchProblem problem{"kernel", "", {{}, {}, {}}};
  return SearchSpace({problem, problem});
}

Measurement measured(std::size_t a, std::size_t b, double run, int samples = 1, double extra = 0) {
  return {{a, b}, run, 0, samples, extra};
}

}  // namespace

TEST_CASE("covariance: the common term, and a share of the others for what is equal") {
  struct Row {
    double likeness_of_parameters;
    std::size_t equal_configs;
    std::size_t problems;
    double covariance;
  };
  for (const Row& row : {Row{0, 0, 3, 1},
                         {0, 1, 4, 1 + 2.0 / 4},
                         {0, 2, 4, 1 + 2.0 * 2 / 4 + 8.0 * 2 / 12},
                         {0, 3, 4, 1 + 2.0 * 3 / 4 + 8.0 * 6 / 12},
                         {0.25, 0, 4, 1 + 4 * 0.25},
                         {1, 4, 4, 1 + 2 + 4 + 8 + 16},  // with itself
                         {1, 1, 1, 1 + 2 + 4 + 16},      // one problem has no pairs
                         {0, 0, 1, 1}}) {
    CAPTURE(row.equal_configs, row.problems, row.likeness_of_parameters);
    CHECK(covariance(distinct(), {row.equal_configs, row.likeness_of_parameters}, row.problems) ==
          Approx(row.covariance));
  }
}

TEST_CASE("drift_step changes every twelve runs") {
  CHECK(drift_step(0) == 0);
  CHECK(drift_step(11.9) == 0);
  CHECK(drift_step(12) == 1);
  CHECK(drift_step(25) == 2);
  CHECK(drift_step(-1) == -1);
}

TEST_CASE("MeasurementTable::row: drift falls linearly with the steps between two runs") {
  const SearchSpace space = two_problems();
  const MeasurementTable table(
      space, {measured(0, 0, 0), measured(1, 1, 0), measured(1, 1, 24), measured(0, 0, 96)});
  const std::vector<double> same_step = table.row(distinct(), 1);
  REQUIRE(same_step.size() == 2);
  CHECK(same_step[0] == Approx(1 + 32));

  const std::vector<double> two_steps = table.row(distinct(), 2);
  REQUIRE(two_steps.size() == 3);
  CHECK(two_steps[0] == Approx(1 + 32 * 0.75));
  CHECK(two_steps[1] == Approx(31 + (32 + 64) * 0.75));  // the same assignment has its own drift, too

  const std::vector<double> far = table.row(distinct(), 3);
  CHECK(far[0] == Approx(31));
  CHECK(far[2] == Approx(1 + 32 * 0.25));
}

TEST_CASE("MeasurementTable::row: noise is on the diagonal only and falls with the samples") {
  const SearchSpace space = two_problems();
  const MeasurementTable table(space, {measured(0, 0, 0, 1), measured(0, 0, 0, 4), measured(0, 0, 0, 0, 7)});
  const double without = 31 + 32 + 64;
  CHECK(table.row(distinct(), 0) == std::vector<double>{without + 128});
  CHECK(table.row(distinct(), 1) == std::vector<double>{without, without + 32});
  CHECK(table.row(distinct(), 2) == std::vector<double>{without, without, without + 128 + 7});
}

TEST_CASE("MeasurementTable::median_value is in the middle, or 0 for no values") {
  const SearchSpace space = two_problems();
  CHECK(MeasurementTable(space, {}).median_value() == 0);
  std::vector<Measurement> measurements;
  for (const double value : {5.0, -1.0, 100.0}) {
    measurements.push_back({{0, 0}, 0, value});
  }
  const MeasurementTable table(space, measurements);
  CHECK(table.size() == 3);
  CHECK(table[2].value == 100);
  CHECK(table.median_value() == 5);
}

}  // namespace contextual::policy::search::covariance_test
