#include "contextual/policy/search/gaussian_model.hpp"
#include "contextual/policy/search/random_numbers.hpp"
#include "support/catch.hpp"
#include "unit/policy/search/scripted_table.hpp"
#include "unit/policy/search/spaces.hpp"

namespace contextual::policy::search::test::variance_fit_test {

namespace {

/// Fifty measurements of random assignments of three problems, each the sum of a term for each config, a
/// drift and noise of these deviations.
std::vector<Measurement> measurements(std::uint64_t seed, double config, double drift, double noise) {
  std::vector<Measurement> found;
  for (std::uint64_t i = 0; i < 50; ++i) {
    Assignment assignment;
    double value = 5 + drift * std::sin(static_cast<double>(i) / 9) + noise * standard_normal(mixed(seed, i));
    for (std::uint64_t p = 0; p < 3; ++p) {
      assignment.push_back(mixed(seed, 100 + 3 * i + p) % 5);
      value += config * standard_normal(mixed(seed, 1000 + 5 * p + assignment.back()));
    }
    found.push_back({assignment, 3.0 * static_cast<double>(i), value});
  }
  return found;
}

bool equal(const Variances& a, const Variances& b) {
  for (double Variances::*const member :
       {&Variances::config, &Variances::parameter, &Variances::pair, &Variances::assignment,
        &Variances::drift, &Variances::own_drift, &Variances::sample}) {
    if (a.*member != b.*member) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("fit_variances: most fits cannot be improved by another one that begins there") {
  const SearchSpace space = space_of({5, 5, 5});
  int final_ones = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const MeasurementTable table(space, measurements(seed, 0.1, 0.05, 0.02));
    const Variances once = fit_variances(table, {});
    final_ones += equal(once, fit_variances(table, once)) ? 1 : 0;
  }
  CHECK(final_ones > 6);
}

TEST_CASE("fit_variances: a drift is what repetitions show, also where a lead-in comes before them") {
  const SearchSpace space = space_of({80});
  const auto slowly = [](std::uint64_t run) { return 0.2 * std::sin(static_cast<double>(run) / 40); };
  std::vector<Measurement> walk;
  for (std::size_t config = 0; config < 80; ++config) {
    const std::uint64_t run = 5 * config;
    walk.push_back({{config}, static_cast<double>(run), 5 + slowly(run)});
  }
  CHECK(fit_variances(MeasurementTable(space, walk), {}).drift <= Variances{}.drift);

  std::vector<Measurement> repeated{{{0}, 0, 5, 0, 0.01}};
  for (std::uint64_t i = 0; i < 80; ++i) {
    const std::uint64_t run = 5 * i;
    repeated.push_back({{i % 2 == 0 ? 0 : i}, static_cast<double>(run), 5 + slowly(run)});
  }
  CHECK(fit_variances(MeasurementTable(space, repeated), {}).drift > 2 * Variances{}.drift);
}

}  // namespace contextual::policy::search::test::variance_fit_test
