#include "support/catch.hpp"

#include <contextual/error.hpp>
#include <contextual/metrics.hpp>

#include <limits>

namespace contextual::metrics_test {

using namespace std::chrono_literals;

namespace {

bool near(const std::optional<double>& value, double expected) {
  return value && std::abs(*value - expected) <= 1e-12 * std::abs(expected);
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("compute_gemm_metrics: operations and bytes of the product over the latency") {
  // 2 * 4096^3 operations and 3 * 4096^2 * 2 bytes in 200 us.
  const KernelMetrics metrics = compute_gemm_metrics(4096, 4096, 4096, 2, 200us);
  CHECK(metrics.latency == 200us);
  CHECK(near(metrics.teraflops_per_second, 687.19476736));
  CHECK(near(metrics.gigabytes_per_second, 503.31648));
  CHECK_FALSE(metrics.peak_compute_fraction);
  CHECK_FALSE(metrics.peak_bandwidth_fraction);
  CHECK_FALSE(metrics.registers_per_thread);
  CHECK_FALSE(metrics.occupancy);
}

TEST_CASE("gemm_work: extents that differ each count in their own matrix") {
  CHECK(gemm_work(2, 3, 5, 4) == KernelWork{60, 4.0 * (2 * 5 + 5 * 3 + 2 * 3)});
}

TEST_CASE("gemm_work: extents whose product overflows 64 bits") {
  const std::size_t extent = std::size_t{1} << 30;
  CHECK(gemm_work(extent, extent, extent, 2).flops == std::ldexp(1.0, 91));
}

TEST_CASE("compute_gemm_metrics: shares of the peak that is given") {
  const KernelMetrics metrics = compute_gemm_metrics(
      1000, 1000, 1000, 4, 10us, {.teraflops_per_second = 800.0, .gigabytes_per_second = 2400.0});
  CHECK(near(metrics.teraflops_per_second, 200));
  CHECK(near(metrics.peak_compute_fraction, 0.25));
  CHECK(near(metrics.gigabytes_per_second, 1200));
  CHECK(near(metrics.peak_bandwidth_fraction, 0.5));
}

TEST_CASE("compute_elementwise_metrics: the sum of two float vectors") {
  const KernelMetrics metrics =
      compute_elementwise_metrics(1'000'000, 12, 1, 4us, {.gigabytes_per_second = 4800.0});
  CHECK(near(metrics.teraflops_per_second, 0.25));
  CHECK(near(metrics.gigabytes_per_second, 3000));
  CHECK_FALSE(metrics.peak_compute_fraction);
  CHECK(near(metrics.peak_bandwidth_fraction, 0.625));
}

TEST_CASE("compute_elementwise_metrics: no operations, no rate of operations") {
  const KernelMetrics metrics = compute_elementwise_metrics(500, 8, 0, 1us, {.teraflops_per_second = 60.0});
  CHECK_FALSE(metrics.teraflops_per_second);
  CHECK_FALSE(metrics.peak_compute_fraction);
  CHECK(near(metrics.gigabytes_per_second, 4));
}

TEST_CASE("compute_metrics: a latency that is no time is refused") {
  for (const double latency_ns : {0.0, -1.0, not_a_number, infinity}) {
    CHECK_THROWS_AS(compute_metrics({1, 1}, std::chrono::duration<double, std::nano>(latency_ns)),
                    InvalidArgument);
  }
}

TEST_CASE("compute_metrics: work and peaks that are no numbers are refused") {
  CHECK_THROWS_AS(compute_metrics({-1, 1}, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_metrics({1, not_a_number}, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_metrics({1, 1}, 1us, {.teraflops_per_second = 0.0}), InvalidArgument);
  CHECK_THROWS_AS(compute_metrics({1, 1}, 1us, {.gigabytes_per_second = -2.0}), InvalidArgument);
  CHECK_THROWS_AS(compute_metrics({0, 0}, 1us, {.gigabytes_per_second = infinity}), InvalidArgument);
}

TEST_CASE("compute_gemm_metrics, compute_elementwise_metrics: an extent of 0 is refused") {
  CHECK_THROWS_AS(compute_gemm_metrics(0, 1, 1, 2, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_gemm_metrics(1, 0, 1, 2, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_gemm_metrics(1, 1, 0, 2, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_gemm_metrics(1, 1, 1, 0, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_elementwise_metrics(0, 4, 1, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_elementwise_metrics(1, 0, 1, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_elementwise_metrics(1, 4, -1, 1us), InvalidArgument);
}

TEST_CASE("gemm_work, compute_elementwise_metrics: a negative extent is refused as what it was") {
  const auto minus_one = static_cast<std::size_t>(-1);
  CHECK_THROWS_WITH(gemm_work(minus_one, 1, 1, 2),
                    ContainsSubstring("m of rows must be a number above 0, not -1"));
  CHECK_THROWS_AS(compute_gemm_metrics(1, minus_one, 1, 2, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_gemm_metrics(1, 1, minus_one, 2, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_gemm_metrics(1, 1, 1, minus_one, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_elementwise_metrics(minus_one, 4, 1, 1us), InvalidArgument);
  CHECK_THROWS_AS(compute_elementwise_metrics(1, minus_one, 1, 1us), InvalidArgument);
}

}  // namespace contextual::metrics_test
