/// \file
/// Regions that return without joining their streams: iterations that overlap unless the tuner joins them.

#include "gpu/kernel_support.hpp"
#include "support/catch.hpp"

#include <contextual/autotuner.hpp>

#include <numeric>

namespace contextual::test::gpu_test::iterations_test {

namespace {

struct Config {
  int length = 0;  ///< which of the kernel's lengths
};

/// One block of one thread that is busy for one of these lengths, and never longer than 2 s.
class Busy : public CudaKernel<Config> {
 public:
  Busy(const std::string& name, const std::vector<int>& lengths_us)
      : CudaKernel<Config>(name, {{"LENGTH", &Config::length, indices(lengths_us)}}, single_problem,
                           definition(lengths_us)) {}

 private:
  static std::vector<int> indices(const std::vector<int>& lengths_us) {
    std::vector<int> all(lengths_us.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  static Definition definition(const std::vector<int>& lengths_us) {
    Definition definition;
    definition.source = CudaSource::text("busy.cu", R"(
extern "C" __global__ void busy() {
  unsigned long long begin, now;
  const unsigned long long length = min(US * 1000ull, 2000000000ull);
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < length);
})");
    definition.variant = [lengths_us](const Config& config) {
      return CudaVariant{.function = "busy",
                         .defines = {{"US", std::to_string(lengths_us.at(std::size_t(config.length)))}}};
    };
    definition.layout = [](const Config&) { return CudaLayout{}; };
    return definition;
  }
};

// A little less than the kernels spin, because the clock by which they do so has steps of about a
// microsecond.
constexpr double short_ns = 0.99e6;
constexpr double long_ns = 2.97e6;

/// The makespan with the longer of two configs, in a region that launches on two streams and joins neither.
/// The stream with less to do runs ahead of the other one by more in each iteration.
double longer_makespan_ns(const TimerFactory& timer, Iterations iterations) {
  Stream busier;
  Stream idler;
  Busy tuned("gpu_unjoined", {3'000, 1'000});
  Busy beside("gpu_beside", {400});
  Options options = walk_options(5, timer);
  options.iterations = iterations;
  ContextualAutotuner tuner{options};
  tuner.run("unjoined", [&] {
    tuned(busier);
    beside(idler);
  });
  const Report report = tuner.report();
  for (const ProblemReport& problem : report.find("unjoined")->problems) {
    if (problem.kernel == "gpu_unjoined") {
      CHECK(problem.choice == 1);
      REQUIRE(problem.configs.size() == 2);
      CHECK(problem.configs[1].makespan.centre_ns >= short_ns);
      return problem.configs[0].makespan.centre_ns;
    }
  }
  FAIL("the tuned kernel is not in the report");
  return 0;
}

}  // namespace

TEST_CASE("holds 18: a region that joins no stream has makespans of one iteration each") {
  ONLY_IF(has_gpu());
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  // Without the join, the iterations' makespans are 3.0, 5.6, 8.2, ... ms.
  const double makespan_ns = longer_makespan_ns(timer, Iterations::joined);
  CHECK(makespan_ns >= long_ns);
  CHECK(makespan_ns <= 1.5 * long_ns);
}

TEST_CASE("pipelined iterations: a makespan is the iteration's share in the time of its batch") {
  ONLY_IF(has_gpu());
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  const double share_ns = longer_makespan_ns(timer, Iterations::pipelined);
  CHECK(share_ns >= long_ns / 1.5);
  CHECK(share_ns <= 1.5 * long_ns);
}

TEST_CASE("short kernels that the host launches slowly: a makespan is the devices' time") {
  ONLY_IF(has_gpu());
  const TimerFactory timer = GENERATE(TimerFactory(cuda_cupti_timer), TimerFactory(cuda_event_timer));
  constexpr int launches = 10;
  constexpr auto pause = std::chrono::microseconds(40);
  Stream stream;
  Busy tuned("gpu_short", {5, 6, 7, 8});
  ContextualAutotuner tuner{walk_options(5, timer)};
  tuner.run("short_kernels", [&] {
    for (int launch = 0; launch < launches; ++launch) {
      tuned(stream);
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < pause) {
      }
    }
  });
  const ProblemReport problem = tuner.report("short_kernels").problems.front();
  REQUIRE(problem.configs.size() == 4);
  // The first batch has no head start, and the second one only tells how long the devices really need.
  for (std::size_t config = 2; config < problem.configs.size(); ++config) {
    CAPTURE(config, problem.configs[config].makespan.centre_ns);
    CHECK(problem.configs[config].makespan.centre_ns > 0);
    CHECK(problem.configs[config].makespan.centre_ns < 0.6 * launches * pause / std::chrono::nanoseconds(1));
  }
}

}  // namespace contextual::test::gpu_test::iterations_test
