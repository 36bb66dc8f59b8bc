#include "contextual/record/quantities.hpp"

#include "support/catch.hpp"

#include <chrono>

namespace quantities_test {

using namespace contextual::record;
using contextual::KernelMetrics;

TEST_CASE("estimate_left_ns: the pace so far goes on", "[unit]") {
  CHECK(estimate_left_ns(10, 40, 1000) == 3000);
  CHECK(estimate_left_ns(40, 40, 1000) == 0);
  CHECK(estimate_left_ns(50, 40, 1000) == 0);
  CHECK_FALSE(estimate_left_ns(0, 40, 1000));
  CHECK_FALSE(estimate_left_ns(-1, 40, 1000));
  CHECK(estimate_left_ns(1, 2, 9'000'000'000'000'000) == 9'000'000'000'000'000);
}

TEST_CASE("format_duration: a fitting unit and two or three digits", "[unit]") {
  CHECK(format_duration(-5) == "0 ns");
  CHECK(format_duration(999) == "999 ns");
  CHECK(format_duration(1000) == "1.0 us");
  CHECK(format_duration(12'345) == "12 us");
  CHECK(format_duration(999'499) == "999 us");
  CHECK(format_duration(999'600) == "1.0 ms");
  CHECK(format_duration(350'000'000) == "350 ms");
  CHECK(format_duration(1'234'000'000) == "1.2 s");
  CHECK(format_duration(119'000'000'000) == "119 s");
  CHECK(format_duration(200'000'000'000) == "3 min 20 s");
  CHECK(format_duration(7'380'000'000'000) == "2 h 3 min");
}

TEST_CASE("format_latency: ms, four digits", "[unit]") {
  CHECK(format_latency(120'000) == "0.12 ms");
  CHECK(format_latency(2'712) == "0.002712 ms");
  CHECK(format_latency(12'345'678) == "12.35 ms");
}

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

}  // namespace quantities_test
