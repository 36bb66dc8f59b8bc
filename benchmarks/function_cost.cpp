/// \file
/// One function through both doors, `autotune` and a region of one kernel: whether they choose alike, how
/// long each of them tunes, and what a later call costs. The function spins as long as its config says.
/// Tunings take turns; the printed ratio is the median of the pairs. Exit code 1: other choices
/// in more than one of twenty tunings, or a ratio above 1.1.

#include "two_doors.hpp"

#include <contextual/tuned_region.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

namespace {

using namespace contextual::benchmarks;
using Clock = std::chrono::steady_clock;

constexpr int tunings = 101;

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

contextual::Options options() {
  return {.log_directory = "", .cache_directory = ""};
}

bool tuning_time() {
  int alike = 0;
  const bool well = compare_doors(
      "spin", tunings, options(),
      [](const std::string& name) {
        return contextual::autotune(name, space(), contextual::single_problem, spin, {.options = options()});
      },
      [](const std::string& name) {
        return contextual::TunableKernel{name, space(), contextual::single_problem, spin};
      },
      [](auto& door) { door(); },
      [&](const contextual::ProblemReport& of_function, const contextual::ProblemReport& of_region) {
        const bool same = of_function.choice == of_region.choice;
        alike += same ? 1 : 0;
        return same;
      });
  std::printf("the same choice in %d of %d\n", alike, tunings);
  return well;
}

/// Nanoseconds of one of many calls in a row, the median of several rounds.
double later_call_ns(const auto& call) {
  std::vector<double> rounds(11);
  std::generate(rounds.begin(), rounds.end(), [&] { return ns_per_call(200'000, call); });
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
