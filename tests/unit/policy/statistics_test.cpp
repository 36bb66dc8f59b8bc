#include "contextual/policy/statistics.hpp"

#include "support/catch.hpp"

#include <numeric>

namespace contextual::policy::statistics_test {

namespace {

Summary of(std::vector<std::int64_t> samples) {
  return summarize(samples);
}

bool near(double value, double expected) {
  return std::abs(value - expected) <= 1e-6 * std::abs(expected);
}

}  // namespace

TEST_CASE("summary: count, centre and spread, whatever the samples") {
  constexpr std::int64_t huge = INT64_MAX;
  struct Row {
    std::string name;
    std::vector<std::int64_t> samples;
    double centre_ns;
    double spread_ns;
  };
  for (const Row& row : {Row{"none", {}, 0, 0},
                         {"one", {42}, 42, 0},
                         {"an odd number, in any order", {30, 10, 20}, 20, 14.826},
                         {"an even number", {40, 10, 30, 20}, 25, 14.826},
                         {"one outlier", {100, 102, 98, 101, 100000}, 101, 1.4826},
                         {"differences below 0", {-30, -10, -20}, -20, 14.826},
                         {"huge ones", {huge, huge, -huge, huge}, static_cast<double>(huge), 0}}) {
    CAPTURE(row.name);
    const Summary summary = of(row.samples);
    CHECK(summary.count == row.samples.size());
    CHECK(summary.centre_ns == Approx(row.centre_ns).epsilon(1e-6));
    CHECK(summary.spread_ns == Approx(row.spread_ns).epsilon(1e-6));
    CHECK((row.samples.size() > 1 || summary.standard_error_ns == 0));
  }
  CHECK(of({30, -10, 20}).least_ns == -10);
  CHECK(of({30, -10, 20}).greatest_ns == 30);
}

TEST_CASE("standard error shrinks with more samples of the same spread") {
  std::vector<std::int64_t> few{90, 100, 110};
  std::vector<std::int64_t> many;
  for (int i = 0; i < 20; ++i) {
    many.insert(many.end(), few.begin(), few.end());
  }
  CHECK(of(few).standard_error_ns > 0);
  CHECK(of(many).standard_error_ns < 0.3 * of(few).standard_error_ns);
}

TEST_CASE("standard error of few samples is enlarged, as their spread reads too small") {
  std::vector<std::int64_t> samples;
  for (const std::size_t count : {4U, 9U, 10U, 20U}) {
    samples.resize(count);
    std::iota(samples.begin(), samples.end(), 1000);
    const Summary summary = of(samples);
    const auto n = static_cast<double>(count);
    const double factor = count == 4 ? 1.363 : count == 9 ? 1.107 : n / (n - 0.8);
    CHECK(near(summary.standard_error_ns, 1.2533 * factor * summary.spread_ns / std::sqrt(n)));
  }
}

TEST_CASE("median: the middle one, the mean of the middle two, 0 of nothing") {
  using policy::median;
  CHECK(median({}) == 0);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
}

TEST_CASE("the greatest sample is the greatest that is not far") {
  CHECK(of({100, 102, 98, 101, 100000}).greatest_ns == 102);
  CHECK(of({100, 102, 98, 101, 120}).greatest_ns == 120);
  CHECK(of({100}).greatest_ns == 100);
}

TEST_CASE("quantiles of Student's t distribution are within 2 % of those of tables") {
  using policy::student_quantile;
  const auto relative = [](double normal, std::size_t degrees, double table) {
    return std::abs(student_quantile(normal, degrees) / table - 1);
  };
  CHECK(relative(1.9600, 1, 12.706) < 0.001);
  CHECK(relative(1.9600, 4, 2.776) < 0.001);
  CHECK(relative(2.5758, 4, 4.604) < 0.005);
  CHECK(relative(3.2905, 4, 8.610) < 0.02);
  CHECK(relative(2.5758, 24, 2.797) < 0.001);
  CHECK(relative(3.2905, 9, 4.781) < 0.001);
}

}  // namespace contextual::policy::statistics_test
