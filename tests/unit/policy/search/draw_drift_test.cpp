#include "contextual/policy/search/gaussian_model.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"

#include <cmath>
#include <cstdint>

namespace draw_drift_test {

using contextual::policy::search::GaussianModel;
using contextual::policy::search::MeasurementTable;
using contextual::policy::search::SearchSpace;
using contextual::policy::search::Variances;
using contextual::policy::search::test::request_of;

namespace {

/// Assignments vary by 1; a measurement is wrong by its drift only.
Variances without_noise() {
  Variances variances;
  variances.common = 0;
  variances.config = 0;
  variances.parameter = 0;
  variances.pair = 0;
  variances.assignment = 1;
  variances.drift = 0;
  variances.own_drift = 0;
  variances.sample = 1e-6;
  return variances;
}

/// The variance of draws where one measurement was made.
double variance_after_one(const Variances& variances) {
  const SearchSpace space(request_of({2, 2}, 100).problems);
  const MeasurementTable table(space, {{{0, 0}, 5, 0.0}});
  const GaussianModel model(table, variances, 0);
  constexpr std::uint64_t draws = 4000;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const double value = model.draw(seed)({0, 0});
    squares += value * value;
  }
  return squares / draws;
}

}  // namespace

TEST_CASE("GaussianModel::Draw: drift leaves a measurement as uncertain as its variance says", "[unit]") {
  CHECK(variance_after_one(without_noise()) < 0.001);
  for (double Variances::*const member : {&Variances::drift, &Variances::own_drift}) {
    Variances variances = without_noise();
    variances.*member = 0.5;
    CHECK(variance_after_one(variances) == Approx(1 * 0.5 / (1 + 0.5)).epsilon(0.1));
  }
}

}  // namespace draw_drift_test
