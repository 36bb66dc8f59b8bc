#include "contextual/policy/search/gaussian_model.hpp"

#include "contextual/policy/search/random_numbers.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"
#include "unit/policy/search/spaces.hpp"

namespace contextual::policy::search::test::gaussian_model_test {

namespace {

Variances almost_without_noise() {
  return {.drift = 0, .own_drift = 0, .sample = 1e-9};
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of_draws(const GaussianModel& model, const Assignment& assignment) {
  constexpr int draws = 4000;
  double sum = 0;
  double squares = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const double value = model.draw(seed)(assignment);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / draws;
  return {mean, std::sqrt(squares / draws - mean * mean)};
}

/// Makes 60 measurements of four problems with six configs, ten runs apart.
std::vector<Measurement> measurements_of(double (*value)(const Assignment&)) {
  std::vector<Measurement> measurements;
  for (std::size_t i = 0; i < 60; ++i) {
    const Assignment assignment{i % 6, i / 6 % 6, (i * 5 + i / 7) % 6, (i * i + i / 3) % 6};
    const double noise = 0.01 * standard_normal(i);
    measurements.push_back({assignment, 10.0 * static_cast<double>(i), value(assignment) + noise});
  }
  return measurements;
}

}  // namespace

TEST_CASE("GaussianModel without measurements expects the mean everywhere") {
  const SearchSpace space = space_of({3, 3});
  const MeasurementTable table(space, {});
  const GaussianModel model(table, {}, 4.5);
  CHECK(model.expected({0, 0}) == 4.5);
  CHECK(model.expected({2, 1}) == 4.5);
}

TEST_CASE("GaussianModel with tiny noise expects what was measured where it was measured") {
  const SearchSpace space = space_of({3, 3});
  const MeasurementTable table(space, {{{0, 0}, 1, 5.0}, {{0, 1}, 2, 5.2}, {{2, 2}, 3, 4.9}});
  const GaussianModel model(table, almost_without_noise(), 5);
  CHECK(model.expected({0, 0}) == Approx(5.0).epsilon(1e-4));
  CHECK(model.expected({0, 1}) == Approx(5.2).epsilon(1e-4));
  CHECK(model.expected({2, 2}) == Approx(4.9).epsilon(1e-4));
}

TEST_CASE("GaussianModel: one measurement is carried over by its covariance") {
  const SearchSpace space = space_of({3, 3});
  const MeasurementTable table(space, {{{0, 0}, 1, 6.0, 2}});
  Variances variances{.sample = 0.05};
  const GaussianModel model(table, variances, 5);
  const double all = covariance(variances, {2, 1}, 2) + variances.drift + variances.own_drift + 0.05 / 2;
  CHECK(model.expected({0, 0}) == Approx(5 + covariance(variances, {2, 1}, 2) / all));
  CHECK(model.expected({0, 1}) == Approx(5 + covariance(variances, {1, 0.5}, 2) / all));
  CHECK(model.expected({1, 2}) == Approx(5 + variances.common / all));
  CHECK(model.log_evidence() == Approx(-0.5 / all - 0.5 * std::log(all)));
}

TEST_CASE("GaussianModel learns a config's part of the value from its other neighbours") {
  const SearchSpace space = space_of({4, 4});
  const auto value = [](std::size_t a, std::size_t b) {
    return 5 + 0.1 * static_cast<double>(a) - 0.05 * static_cast<double>(b);
  };
  std::vector<Measurement> measurements;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      if (a != 3 || b != 3) {
        measurements.push_back({{a, b}, 1, value(a, b)});
      }
    }
  }
  const MeasurementTable table(space, measurements);
  const GaussianModel model(table, almost_without_noise(), 5);
  CHECK(model.expected({3, 3}) == Approx(value(3, 3)).margin(0.015));
}

TEST_CASE("GaussianModel::Draw: the means of many draws are what is expected") {
  const SearchSpace space = space_of({3, 3});
  const MeasurementTable table(
      space, {{{0, 0}, 1, 5.0, 3}, {{0, 1}, 20, 5.2, 1}, {{2, 2}, 30, 4.9, 0, 0.01}, {{0, 0}, 50, 5.1}});
  Variances variances{.sample = 0.001};
  const GaussianModel model(table, variances, 5);
  for (const Assignment& assignment : {Assignment{0, 0}, Assignment{0, 2}, Assignment{1, 1}}) {
    const Moments draws = moments_of_draws(model, assignment);
    CHECK(draws.mean == Approx(model.expected(assignment)).margin(4 * draws.deviation / std::sqrt(4000.0)));
  }
}

TEST_CASE("GaussianModel::Draw: the spread without measurements is the prior's") {
  const SearchSpace space = space_of({2, 2, 2});
  const MeasurementTable table(space, {});
  Variances variances{.common = 0.01, .config = 0.04, .parameter = 0.02, .pair = 0.03, .assignment = 0.05};
  const GaussianModel model(table, variances, 0);
  CHECK(moments_of_draws(model, {0, 1, 0}).deviation == Approx(std::sqrt(0.15)).epsilon(0.05));
}

TEST_CASE("GaussianModel::Draw: the covariance of two assignments is the prior's") {
  const SearchSpace space = space_of({2, 2, 2});
  const MeasurementTable table(space, {});
  Variances variances{.common = 0, .config = 1, .parameter = 0.5, .pair = 2};
  const GaussianModel model(table, variances, 0);
  double products = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const GaussianModel::Draw draw = model.draw(seed);
    products += draw({0, 0, 0}) * draw({0, 0, 1}) / 4000;
  }
  CHECK(products == Approx(covariance(variances, {2, 2.0 / 3}, 3)).margin(0.25));
}

TEST_CASE("GaussianModel::Draw: the spread shrinks with measurements to the posterior's") {
  const SearchSpace space = space_of({3, 3});
  Variances variances{.sample = 0.01};
  const MeasurementTable none(space, {});
  const MeasurementTable one(space, {{{0, 0}, 1, 5.0}});
  const MeasurementTable three(space, {{{0, 0}, 1, 5.0}, {{0, 0}, 2, 5.0}, {{0, 0}, 3, 5.0}});
  const double prior = moments_of_draws(GaussianModel(none, variances, 5), {0, 0}).deviation;
  const double after_one = moments_of_draws(GaussianModel(one, variances, 5), {0, 0}).deviation;
  const double after_three = moments_of_draws(GaussianModel(three, variances, 5), {0, 0}).deviation;

  const double variance = covariance(variances, {2, 1}, 2);
  const double noise = variances.sample + variances.drift + variances.own_drift;
  CHECK(prior == Approx(std::sqrt(variance)).epsilon(0.05));
  CHECK(after_one == Approx(std::sqrt(variance * noise / (variance + noise))).epsilon(0.05));
  CHECK(after_three < 0.7 * after_one);
}

TEST_CASE("GaussianModel::Draw: drift leaves a measurement as uncertain as its variance says") {
  const SearchSpace space = space_of({2, 2});
  const MeasurementTable table(space, {{{0, 0}, 5, 0.0}});
  Variances exact;  // assignments vary by 1, and nothing else does
  exact.common = exact.config = exact.parameter = exact.pair = exact.drift = exact.own_drift = 0;
  exact.assignment = 1;
  exact.sample = 1e-6;
  CHECK(moments_of_draws(GaussianModel(table, exact, 0), {0, 0}).deviation < 0.03);
  for (double Variances::*const member : {&Variances::drift, &Variances::own_drift}) {
    Variances variances = exact;
    variances.*member = 0.5;
    CHECK(moments_of_draws(GaussianModel(table, variances, 0), {0, 0}).deviation ==
          Approx(std::sqrt(1 * 0.5 / (1 + 0.5))).epsilon(0.05));
  }
}

TEST_CASE("GaussianModel::Draw: the same seed is the same draw, another is another") {
  const SearchSpace space = space_of({3, 3});
  const MeasurementTable table(space, {{{0, 0}, 1, 5.0}});
  const GaussianModel model(table, {}, 5);
  CHECK(model.draw(1)({1, 2}) == model.draw(1)({1, 2}));
  CHECK(model.draw(1)({1, 2}) != model.draw(2)({1, 2}));
}

TEST_CASE("fit_variances finds whether configs matter") {
  const SearchSpace space = space_of({6, 6, 6, 6});
  const MeasurementTable flat(space, measurements_of([](const Assignment&) { return 5.0; }));
  const MeasurementTable steep(space, measurements_of([](const Assignment& a) {
                                 return 5 + 0.1 * static_cast<double>(a[0]) +
                                        0.2 * std::sin(static_cast<double>(a[1]));
                               }));
  const Variances without = fit_variances(flat, {});
  const Variances with = fit_variances(steep, {});
  CHECK(without.config + without.parameter < 0.0005);
  CHECK(with.config + with.parameter > 0.005);
  CHECK(without.sample + without.assignment > 0.00002);  // of noise with a variance of 0.0001
  CHECK(without.sample + without.assignment < 0.0005);
}

TEST_CASE("fit_variances does not end with less likely measurements than it began with") {
  const SearchSpace space = space_of({6, 6, 6, 6});
  const MeasurementTable table(
      space, measurements_of([](const Assignment& a) { return 5 + (a[0] == a[1] ? 0.3 : 0.0); }));
  const double mean = table.median_value();
  const double before = GaussianModel(table, {}, mean).log_evidence();
  CHECK(GaussianModel(table, fit_variances(table, {}), mean).log_evidence() > before + 1);
}

TEST_CASE("GaussianModel::update leaves the same model as a new one, to the last bit") {
  const SearchSpace space = space_of({6, 6, 6, 6});
  const Variances variances;
  std::vector<Measurement> measurements =
      measurements_of([](const Assignment& a) { return 0.1 * static_cast<double>(a[0]); });
  MeasurementTable table(space, {measurements.begin(), measurements.begin() + 30});
  GaussianModel model(table, variances, 0);
  const auto check = [&](std::size_t kept_at_least) {
    const std::size_t kept = table.replace(measurements);
    CHECK(kept == kept_at_least);
    model.update(variances, 0.2, kept);
    const MeasurementTable new_table(space, measurements);
    const GaussianModel new_model(new_table, variances, 0.2);
    CHECK(model.expected({1, 2, 3, 4}) == new_model.expected({1, 2, 3, 4}));
    CHECK(model.log_evidence() == new_model.log_evidence());
    CHECK(model.draw(7)({1, 2, 3, 4}) == new_model.draw(7)({1, 2, 3, 4}));
  };
  check(30);
  measurements[40].value += 1;  // no part of the matrix
  check(60);
  measurements[25].extra_variance = 0.01;
  check(25);
  measurements[10].assignment = {5, 5, 5, 5};
  measurements.resize(50);
  check(10);
}

TEST_CASE("GaussianModel::update with other variances makes everything anew") {
  const SearchSpace space = space_of({6, 6, 6, 6});
  MeasurementTable table(space, measurements_of([](const Assignment& a) { return a[0] > 2 ? 1.0 : 0.0; }));
  GaussianModel model(table, {}, 0);
  Variances other{.config = 0.5};
  model.update(other, 0, table.size());
  CHECK(model.expected({5, 0, 0, 0}) == GaussianModel(table, other, 0).expected({5, 0, 0, 0}));
}

TEST_CASE("GaussianModel: draws of very many problems have the mean and deviation of the belief") {
  const SearchSpace space = space_of(std::vector<std::size_t>(40, 3));
  const Assignment measured(40, 0);
  Assignment near(40, 0);
  std::fill(near.begin(), near.begin() + 10, 1);
  Variances variances = almost_without_noise();
  variances.common = variances.config = variances.parameter = variances.assignment = 0;
  variances.pair = 1;
  const MeasurementTable table(space, {{measured, 1, 7.0}});
  const GaussianModel model(table, variances, 5);
  // 30 of 40 problems are the same: 30 x 29 of 40 x 39 pairs.
  const double correlation = 30.0 * 29 / (40 * 39);
  const Moments moments = moments_of_draws(model, near);
  CHECK(moments.mean == Approx(5 + 2 * correlation).margin(0.05));
  CHECK(moments.deviation == Approx(std::sqrt(1 - correlation * correlation)).margin(0.03));
  CHECK(model.draw(3)(measured) == Approx(7.0).margin(1e-3));
}

TEST_CASE("GaussianModel: a place in a draw that has moved has the value of a new one") {
  const SearchSpace space = space_of(std::vector<std::size_t>(12, 4));
  Assignment end(12, 0);
  const MeasurementTable table(space, {{end, 1, 5.0}, {Assignment(12, 1), 2, 5.2}});
  const GaussianModel model(table, {}, 5);
  const GaussianModel::Draw draw = model.draw(7);
  GaussianModel::Draw::Place place(draw, end);
  for (std::size_t p = 0; p < end.size(); ++p) {
    end[p] = p % 4;
    CHECK(place.value_with(p, end[p]) == Approx(draw(end)).epsilon(1e-12));
    place.move(p, end[p]);
    CHECK(place.value() == Approx(draw(end)).epsilon(1e-12));
  }
}

}  // namespace contextual::policy::search::test::gaussian_model_test
