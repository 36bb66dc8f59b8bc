/// \file
/// KernelOptions::work: what a kernel's author counts, as rates in report and log.

#include "support/engine.hpp"

#include <limits>

namespace contextual::test::work_test {

namespace {

bool near(const std::optional<double>& value, double expected) {
  return value && std::abs(*value - expected) <= 1e-9 * expected;
}

KernelWork work_of(const int& n) {
  return {.flops = 1e6 * n, .bytes = 2e3 * n};
}

}  // namespace

TEST_CASE("work: every config has the rates of its own time, and the choice has its own") {
  const TemporaryDirectory logs;
  TunableKernel kernel{"work_rates",
                       blocks(2),
                       [](int n) { return make_key(n); },
                       [](const Block&, int) {},
                       {.work = work_of}};
  Options options = quick();
  options.log_directory = logs.path().string();
  const RegionReport report = tuned(options, "work_rates", [&] { kernel(5); });
  const ProblemReport problem = of_kernel(report, "work_rates");
  CHECK(problem.work == KernelWork{5e6, 1e4});
  REQUIRE(problem.configs.size() == 2);
  CHECK(problem.configs[0].metrics.latency == std::chrono::nanoseconds(100'000));
  CHECK(near(problem.configs[0].metrics.teraflops_per_second, 5e6 / 100'000 / 1e3));
  CHECK(near(problem.configs[0].metrics.gigabytes_per_second, 1e4 / 100'000));
  CHECK(near(problem.configs[1].metrics.gigabytes_per_second, 1e4 / 99'000));
  CHECK_THAT(report.to_string(Detail::why), ContainsSubstring("0.05051 TFLOP/s, 0.101 GB/s"));
  const std::string json = text_of_file(logs.path() / "rank-0.jsonl");
  CHECK(count_of(json, "\"teraflops_per_second\":0.05,\"gigabytes_per_second\":0.1}") == 1);
  CHECK(count_of(json, "\"teraflops_per_second\":0.0505") == 2);  // the summary and the choice
  CHECK_THAT(text_of_file(logs.path() / "rank-0.log"),
             ContainsSubstring("| best-latency: 0.099 ms | TFLOP/s: 0.05051 | GB/s: 0.101 |"));
}

TEST_CASE("work: that of all launches in one tuning iteration counts, of each once") {
  int asked = 0;
  TunableKernel kernel{
      "work_sum", blocks(3), single_problem, [](const Block&, int) {}, {.work = [&](const int& n) {
        ++asked;
        return work_of(n);
      }}};
  const RegionReport report = tuned("work_sum", [&] {
    kernel(1);
    std::thread([&, context = RegionContext::current()] {
      const ContextGuard guard(context);
      kernel(3);
    }).join();
  });
  CHECK(of_kernel(report, "work_sum").work == KernelWork{4e6, 8e3});
  CHECK(asked == 2);
  kernel(7);
  CHECK(asked == 2);
}

TEST_CASE("work: operations or bytes alone give one rate") {
  TunableKernel kernel{"work_bytes", blocks(2), single_problem, [](const Block&) {}, {.work = [] {
                         return KernelWork{.bytes = 3e5};
                       }}};
  const RegionReport report = tuned("work_bytes", [&] { kernel(); });
  const KernelMetrics metrics = of_kernel(report, "work_bytes").configs.at(0).metrics;
  CHECK_FALSE(metrics.teraflops_per_second);
  CHECK(near(metrics.gigabytes_per_second, 3));
}

TEST_CASE("work: a kernel that says none has no rates, in the report or in the log") {
  const TemporaryDirectory logs;
  TunableKernel kernel{"work_unknown", blocks(2), single_problem, [](const Block&) {}};
  Options options = quick();
  options.log_directory = logs.path().string();
  const RegionReport report = tuned(options, "work_unknown", [&] { kernel(); });
  const ProblemReport problem = of_kernel(report, "work_unknown");
  CHECK(problem.work == KernelWork{});
  CHECK(problem.configs.at(1).metrics.latency == std::chrono::nanoseconds(99'000));
  CHECK_FALSE(problem.configs.at(1).metrics.gigabytes_per_second);
  CHECK(count_of(text_of_file(logs.path() / "rank-0.jsonl"), "\"gigabytes_per_second\":null") == 3);
  CHECK(count_of(text_of_file(logs.path() / "rank-0.log"), "GB/s") == 0);
}

TEST_CASE("work: what cannot be work ends the run, and names the kernel") {
  const double bad =
      GENERATE(-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  TunableKernel kernel{"work_wrong", blocks(2), single_problem, [](const Block&) {}, {.work = [bad] {
                         return KernelWork{.flops = bad};
                       }}};
  ContextualAutotuner tuner(quick());
  CHECK_THAT(error_text<InvalidArgument>([&] { tuner.run("work_wrong", [&] { kernel(); }); }),
             ContainsSubstring("kernel \"work_wrong\": `work` returned"));
}

}  // namespace contextual::test::work_test
