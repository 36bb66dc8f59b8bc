/// \file
/// One function through both doors, `autotune` and a region of one kernel: whether they choose alike, how
/// long each of them tunes, and what a later call costs. The function spins as long as its config says.
/// Tunings take turns; the printed ratio is the median of the pairs. Exit code 1: other choices
/// in more than one of twenty tunings, or a ratio above 1.1.

#include <contextual/autotuner.hpp>
#include <contextual/function.hpp>
#include <contextual/kernel.hpp>
#include <contextual/tuned_region.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int tunings = 101;
constexpr double most_times_longer = 1.1;
constexpr double least_alike = 0.95;  ///< of the tunings: a run that waits for a core misleads either door

struct SpinConfig {
  int microseconds = 200;
};

/// The fifth one is best by far, whatever else the machine does.
contextual::ConfigSpace<SpinConfig> space() {
  return {{"MICROSECONDS", &SpinConfig::microseconds, {200, 180, 160, 140, 50, 120, 190, 170, 150, 130}}};
}

void spin(const SpinConfig& config) {
  const auto end = Clock::now() + std::chrono::microseconds(config.microseconds);
  while (Clock::now() < end) {
  }
}

double milliseconds(const auto& call) {
  const auto begin = Clock::now();
  call();
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

contextual::Options options() {
  return {.log_directory = "", .cache_directory = ""};
}

std::size_t choice_of(const contextual::Report& report) {
  return report.runs.back().problems.front().choice;
}

bool tuning_time() {
  std::vector<double> ratios;
  std::vector<double> by_function;
  std::vector<double> by_region;
  int alike = 0;
  for (int i = 0; i < tunings; ++i) {
    const std::string number = std::to_string(i);
    auto function = contextual::autotune("spin_function_" + number, space(), contextual::single_problem, spin,
                                         {.options = options()});
    contextual::TunableKernel kernel{"spin_kernel_" + number, space(), contextual::single_problem, spin};
    contextual::ContextualAutotuner tuner{options()};
    const auto tune_function = [&] { by_function.push_back(milliseconds([&] { function(); })); };
    const auto tune_region = [&] {
      by_region.push_back(milliseconds([&] { tuner.run("spin_region_" + number, [&] { kernel(); }); }));
    };
    if (i % 2 == 0) {
      tune_function();
      tune_region();
    } else {
      tune_region();
      tune_function();
    }
    ratios.push_back(by_function.back() / by_region.back());
    alike += choice_of(function.report()) == choice_of(tuner.report()) ? 1 : 0;
  }
  std::printf("tuning, median of %d: function %.1f ms, region %.1f ms, ratio of pairs %.3f\n", tunings,
              median(by_function), median(by_region), median(ratios));
  std::printf("the same choice in %d of %d\n", alike, tunings);
  return alike >= least_alike * tunings && median(ratios) <= most_times_longer;
}

/// Nanoseconds of one of many calls in a row, the median of several rounds.
double later_call_ns(const auto& call) {
  constexpr int calls = 200'000;
  std::vector<double> rounds;
  for (int round = 0; round < 11; ++round) {
    rounds.push_back(milliseconds([&] {
                       for (int i = 0; i < calls; ++i) {
                         call();
                       }
                     }) *
                     1e6 / calls);
  }
  return median(rounds);
}

void later_calls() {
  struct Nothing {
    int value = 0;
  };
  const contextual::ConfigSpace<Nothing> two{{"VALUE", &Nothing::value, {0, 1}}};
  volatile long sum = 0;
  const auto add = [&sum](const Nothing& config, long m, long n, long k) {
    sum = sum + config.value + m + n + k;
  };
  const auto key = [](long m, long n, long k) { return contextual::make_key(m, n, k); };
  auto function = contextual::autotune("nothing_function", two, key, add, {.options = options()});
  contextual::TunableKernel kernel{"nothing_kernel", two, key, add};
  contextual::ContextualAutotuner tuner{options()};
  auto region = contextual::make_tuned_region(tuner, "nothing_region",
                                              [&](long m, long n, long k) { kernel(m, n, k); });
  function(1L, 2L, 3L);
  region(1L, 2L, 3L);
  const double direct = later_call_ns([&] { add(Nothing{}, 1, 2, 3); });
  std::printf(
      "a later call, more than a direct one of %.1f ns: function %.1f ns, kernel %.1f ns, "
      "wrapped region %.1f ns\n",
      direct, later_call_ns([&] { function(1L, 2L, 3L); }) - direct,
      later_call_ns([&] { kernel(1L, 2L, 3L); }) - direct,
      later_call_ns([&] { region(1L, 2L, 3L); }) - direct);
}

}  // namespace

int main() try {
  const bool well = tuning_time();
  later_calls();
  return well ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "function_cost: %s\n", error.what());
  return 1;
}
