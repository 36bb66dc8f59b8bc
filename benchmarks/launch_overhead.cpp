/// \file
/// What a tunable kernel's launch costs on the host, over a direct call of the same function.
///
/// Locked in: outside of tuning, for 1 and 64 keys and 1 and 2 threads. While tuning: intercepted and timed
/// by the host clock. Direct calls and launches are measured in turn in one run; figures are medians of
/// rounds.

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct LaunchConfig {
  int tile = 64;
};

struct LaunchArgs {
  std::int64_t m, n, k, batch, heads, dtype, layout;
};

// A kernel that does next to nothing, and that the compiler neither inlines nor drops.
[[gnu::noinline]] void kernel_body(const LaunchConfig& config, const LaunchArgs& args) {
  asm volatile("" : : "r"(config.tile), "r"(args.m) : "memory");
}

contextual::TunableKernel launch_kernel{
    "launch_overhead", contextual::ConfigSpace<LaunchConfig>{{"TILE", &LaunchConfig::tile, {64, 128}}},
    [](const LaunchArgs& a) {
      return contextual::make_key(a.m, a.n, a.k, a.batch, a.heads, a.dtype, a.layout);
    },
    [](const LaunchConfig& config, const LaunchArgs& args) { kernel_body(config, args); }};

std::vector<LaunchArgs> arguments(std::size_t key_count) {
  std::vector<LaunchArgs> all;
  for (std::size_t i = 0; i < key_count; ++i) {
    all.push_back({static_cast<std::int64_t>(128 * (i + 1)), 4096, 4096, 1, 32, 2, 0});
  }
  return all;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Call>
double ns_per_call(const std::vector<LaunchArgs>& args, int rounds, Call&& call) {
  const auto begin = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    for (const LaunchArgs& a : args) {
      call(a);
    }
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
  return elapsed.count() / (static_cast<double>(rounds) * static_cast<double>(args.size()));
}

struct Cost {
  double direct_ns = 0;
  double launch_ns = 0;
};

Cost measure_locked_in(std::size_t key_count) {
  const std::vector<LaunchArgs> args = arguments(key_count);
  const int calls_a_round = 20'000;
  const int rounds = calls_a_round / static_cast<int>(key_count);
  const LaunchConfig config;
  std::vector<double> direct;
  std::vector<double> launch;
  for (int repeat = 0; repeat < 41; ++repeat) {
    direct.push_back(ns_per_call(args, rounds, [&](const LaunchArgs& a) { kernel_body(config, a); }));
    launch.push_back(ns_per_call(args, rounds, [](const LaunchArgs& a) { launch_kernel(a); }));
  }
  return {median(direct), median(launch)};
}

void report_locked_in(std::size_t key_count, int thread_count) {
  std::vector<Cost> costs(static_cast<std::size_t>(thread_count));
  std::barrier start(thread_count);
  {
    std::vector<std::jthread> threads;
    for (Cost& cost : costs) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        cost = measure_locked_in(key_count);
      });
    }
  }
  for (const Cost& cost : costs) {
    std::printf(
        "locked in   %2zu keys  %d threads  direct %5.1f ns  launch %5.1f ns  over direct %5.1f ns (goal "
        "20)\n",
        key_count, thread_count, cost.direct_ns, cost.launch_ns, cost.launch_ns - cost.direct_ns);
  }
}

void report_intercepted(std::size_t key_count) {
  const std::vector<LaunchArgs> args = arguments(key_count);
  const int rounds = 1'024 / static_cast<int>(key_count);
  const LaunchConfig config;
  std::vector<double> direct;
  std::vector<double> launch;
  contextual::ContextualAutotuner tuner{
      {.n_repeat = 20, .finals = false, .always_tune = true, .log_directory = ""}};
  tuner.run("intercepted", [&] {
    direct.push_back(ns_per_call(args, rounds, [&](const LaunchArgs& a) { kernel_body(config, a); }));
    launch.push_back(ns_per_call(args, rounds, [](const LaunchArgs& a) { launch_kernel(a); }));
  });
  const double direct_ns = median(direct);
  const double launch_ns = median(launch);
  std::printf(
      "intercepted %2zu keys  1 threads  direct %5.1f ns  launch %5.1f ns  over direct %5.1f ns (goal 150)\n",
      key_count, direct_ns, launch_ns, launch_ns - direct_ns);
}

double clock_read_ns() {
  return ns_per_call(arguments(1), 100'000, [](const LaunchArgs&) {
    const auto now = Clock::now();
    asm volatile("" : : "r"(now.time_since_epoch().count()) : "memory");
  });
}

}  // namespace

int main() {
  std::printf("one read of the host clock: %.1f ns (an intercepted launch reads it twice)\n",
              clock_read_ns());
  contextual::ContextualAutotuner tuner{{.finals = false, .log_directory = ""}};
  const auto args = arguments(64);
  tuner.run("all keys", [&] {
    for (const LaunchArgs& a : args) {
      launch_kernel(a);
    }
  });
  for (const std::size_t key_count : {std::size_t{1}, std::size_t{64}}) {
    for (const int thread_count : {1, 2}) {
      report_locked_in(key_count, thread_count);
    }
    report_intercepted(key_count);
  }
  return 0;
}
