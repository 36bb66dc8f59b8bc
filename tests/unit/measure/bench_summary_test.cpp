#include "contextual/measure/bench_summary.hpp"

#include "support/catch.hpp"

namespace contextual::measure::bench_summary_test {

namespace {

BenchResult summary_of(const std::vector<double>& samples_ns, const std::vector<double>& quantiles = {}) {
  BenchResult result;
  for (const double sample : samples_ns) {
    result.samples.emplace_back(sample);
  }
  summarize(result, quantiles);
  return result;
}

}  // namespace

TEST_CASE("summarize: one sample is every quantile, and has no spread") {
  const BenchResult result = summary_of({40}, {0, 0.3, 1});
  CHECK(result.median == BenchTime(40));
  CHECK(result.mean == BenchTime(40));
  CHECK(result.min == BenchTime(40));
  CHECK(result.max == BenchTime(40));
  CHECK(result.interquartile_range == BenchTime(0));
  CHECK(result.quantiles == std::vector<BenchTime>(3, BenchTime(40)));
}

TEST_CASE("summarize: quantiles lie between the neighbouring samples, which keep their order") {
  const BenchResult result = summary_of({50, 10, 40, 20}, {0.5, 0, 1, 0.1});
  CHECK(result.median == BenchTime(30));
  CHECK(result.mean == BenchTime(30));
  CHECK(result.min == BenchTime(10));
  CHECK(result.max == BenchTime(50));
  CHECK(result.interquartile_range == BenchTime(42.5 - 17.5));
  REQUIRE(result.quantiles.size() == 4);
  CHECK(result.quantiles[0] == BenchTime(30));
  CHECK(result.quantiles[1] == BenchTime(10));
  CHECK(result.quantiles[2] == BenchTime(50));
  CHECK(std::abs(result.quantiles[3].count() - 13) < 1e-9);
  CHECK(result.samples.front() == BenchTime(50));
}

TEST_CASE("summarize: the median of an odd number of samples is one of them") {
  CHECK(summary_of({7, 100, 9}).median == BenchTime(9));
}

}  // namespace contextual::measure::bench_summary_test
