#include "contextual/record/rates.hpp"

#include "support/catch.hpp"

#include <chrono>

namespace rates_test {

using contextual::KernelMetrics;
using contextual::record::metrics_of;
using contextual::record::rates_text;

TEST_CASE("metrics_of: work over time; without a time nothing, without work no rate", "[unit]") {
  const KernelMetrics metrics = metrics_of({.flops = 4e9, .bytes = 2e6}, 2'000);
  CHECK(metrics.latency == std::chrono::microseconds(2));
  CHECK(metrics.teraflops_per_second == 2'000.0);
  CHECK(metrics.gigabytes_per_second == 1'000.0);
  CHECK_FALSE(metrics_of({.flops = 4e9}, 0).teraflops_per_second);
  CHECK(metrics_of({.flops = 4e9}, 0).latency.count() == 0);
  CHECK_FALSE(metrics_of({}, 2'000).gigabytes_per_second);
  CHECK(metrics_of({}, 2'000).latency == std::chrono::microseconds(2));
}

TEST_CASE("rates_text: the rates that are known, with their units", "[unit]") {
  CHECK(rates_text({}).empty());
  CHECK(rates_text(metrics_of({.flops = 1.374389e9, .bytes = 1e6}, 2'000)) == "687.2 TFLOP/s, 500 GB/s");
  CHECK(rates_text(metrics_of({.bytes = 1e6}, 3'000)) == "333.3 GB/s");
}

}  // namespace rates_test
