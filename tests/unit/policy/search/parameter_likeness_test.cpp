#include "contextual/policy/search/gaussian_model.hpp"
#include "support/catch.hpp"

#include <contextual/config.hpp>

namespace contextual::policy::search::parameter_likeness_test {

namespace {

/// Configs of two parameters, which share the first, the second or none; and one with a single parameter.
SearchSpace parameter_space() {
  return SearchSpace({SearchProblem{"gemm",
                                    "",
                                    {{Config{{"tile", 64}, {"stages", 2}}},
                                     {Config{{"tile", 64}, {"stages", 4}}},
                                     {Config{{"tile", 128}, {"stages", 4}}},
                                     {Config{{"tile", 64}}}}}});
}

/// Only parameters matter.
Variances of_parameters() {
  return {.common = 0, .config = 0, .parameter = 1, .pair = 0, .assignment = 0};
}

double mean_product(const GaussianModel& model, std::size_t a, std::size_t b) {
  constexpr std::uint64_t draws = 4000;
  double sum = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const GaussianModel::Draw draw = model.draw(seed);
    sum += draw({a}) * draw({b});
  }
  return sum / draws;
}

}  // namespace

TEST_CASE("SearchSpace::likeness of configs with different numbers of parameters is of the larger") {
  const SearchSpace space = parameter_space();
  CHECK(space.likeness({0}, {3}) == Approx(0.5));
  CHECK(space.likeness({3}, {1}) == Approx(0.5));
  CHECK(space.likeness({3}, {2}) == 0);
  CHECK(space.likeness({3}, {3}) == 1);
}

TEST_CASE("GaussianModel::Draw: parameters contribute their variance, however many there are") {
  const SearchSpace space = parameter_space();
  const MeasurementTable table(space, {});
  const GaussianModel model(table, of_parameters(), 0);
  for (std::size_t config = 0; config < 4; ++config) {
    CHECK(mean_product(model, config, config) == Approx(1).epsilon(0.1));
  }
}

TEST_CASE("GaussianModel::Draw: configs vary together by the parameters that they share") {
  const SearchSpace space = parameter_space();
  const MeasurementTable table(space, {});
  const Variances variances = of_parameters();
  const GaussianModel model(table, variances, 0);
  CHECK(mean_product(model, 0, 1) == Approx(covariance(variances, {0, 0.5}, 1)).margin(0.06));
  CHECK(mean_product(model, 1, 2) == Approx(covariance(variances, {0, 0.5}, 1)).margin(0.06));
  CHECK(mean_product(model, 0, 2) == Approx(0).margin(0.06));
}

}  // namespace contextual::policy::search::parameter_likeness_test
