/// \file
/// What a tunable kernel's launch costs on the host, over a direct call of the same function.
///
/// locked_in: outside of tuning, for 1 and 64 keys and 1 and 2 threads; goal: over_direct_ns at most 20.
/// with_keep: the same for a kernel with a `keep`, whose direct call asks it as well; goal: at most 30.
/// intercepted: while tuning, timed by the host clock; goal: at most 150. Every iteration measures a round of
/// direct calls and a round of launches in turn; the counters are medians over iterations, in ns a call.

#include "figures.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/kernel.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

using namespace contextual::benchmarks;
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

[[gnu::noinline]] bool fits(const LaunchConfig& config, const LaunchArgs& args) {
  asm volatile("" : : "r"(config.tile) : "memory");
  return config.tile <= args.m;
}

using Kernel = contextual::TunableKernel<void(const LaunchConfig&, const LaunchArgs&)>;

Kernel kernel_named(const char* name, Kernel::Options options = {}) {
  return {name, contextual::ConfigSpace<LaunchConfig>{{"TILE", &LaunchConfig::tile, {64, 128}}},
          [](const LaunchArgs& a) {
            return contextual::make_key(a.m, a.n, a.k, a.batch, a.heads, a.dtype, a.layout);
          },
          [](const LaunchConfig& config, const LaunchArgs& args) { kernel_body(config, args); },
          std::move(options)};
}

Kernel launch_kernel = kernel_named("launch_overhead");
Kernel kernel_with_keep = kernel_named("launch_overhead_with_keep", {.keep = fits});

std::vector<LaunchArgs> arguments(std::size_t key_count) {
  std::vector<LaunchArgs> all;
  for (std::size_t i = 0; i < key_count; ++i) {
    all.push_back({static_cast<std::int64_t>(128 * (i + 1)), 4096, 4096, 1, 32, 2, 0});
  }
  return all;
}

/// One round of calls, over all keys in turn, in ns a call.
template <typename Call>
double ns_per_launch(const std::vector<LaunchArgs>& args, std::size_t calls, Call&& call) {
  const double all_ns = elapsed<std::nano>([&] {
    for (std::size_t done = 0; done < calls; done += args.size()) {
      for (const LaunchArgs& a : args) {
        call(a);
      }
    }
  });
  return all_ns / static_cast<double>(calls);
}

/// What a direct call does.
enum class Direct { launches, asks_and_launches };

template <Kernel& kernel, Direct direct>
class Comparison {
 public:
  Comparison(std::size_t key_count, std::size_t calls_a_round)
      : args_(arguments(key_count)), calls_(calls_a_round) {}

  void measure_round() {
    direct_.push_back(ns_per_launch(args_, calls_, [this](const LaunchArgs& a) {
      if (direct == Direct::launches || fits(config_, a)) {
        kernel_body(config_, a);
      }
    }));
    launch_.push_back(ns_per_launch(args_, calls_, [](const LaunchArgs& a) { kernel(a); }));
  }
  /// Over the threads of a benchmark the average of their medians.
  void report(benchmark::State& state) const {
    using benchmark::Counter;
    state.counters["direct_ns"] = Counter(median(direct_), Counter::kAvgThreads);
    state.counters["launch_ns"] = Counter(median(launch_), Counter::kAvgThreads);
    state.counters["over_direct_ns"] = Counter(median(launch_) - median(direct_), Counter::kAvgThreads);
  }

 private:
  std::vector<LaunchArgs> args_;
  std::size_t calls_;
  LaunchConfig config_;
  std::vector<double> direct_;
  std::vector<double> launch_;
};

void lock_in_all_keys(const benchmark::State&) {
  contextual::ContextualAutotuner tuner{{.search = contextual::SearchLevel::off, .log_directory = ""}};
  tuner.run("all keys", [] {
    for (const LaunchArgs& a : arguments(64)) {
      launch_kernel(a);
      kernel_with_keep(a);
    }
  });
}

template <Kernel& kernel, Direct direct>
void measure(benchmark::State& state) {
  Comparison<kernel, direct> comparison(static_cast<std::size_t>(state.range(0)), 19'200);
  for (auto _ : state) {
    comparison.measure_round();
  }
  comparison.report(state);
}

void locked_in(benchmark::State& state) {
  measure<launch_kernel, Direct::launches>(state);
}
void with_keep(benchmark::State& state) {
  measure<kernel_with_keep, Direct::asks_and_launches>(state);
}
void on_all_keys(benchmark::internal::Benchmark* benchmark) {
  benchmark->Setup(lock_in_all_keys)->ArgName("keys")->Arg(1)->Arg(64)->ThreadRange(1, 2)->Iterations(101);
}
BENCHMARK(locked_in)->Apply(on_all_keys);
BENCHMARK(with_keep)->Apply(on_all_keys);

void intercepted(benchmark::State& state) {
  Comparison<launch_kernel, Direct::launches> comparison(static_cast<std::size_t>(state.range(0)), 1'024);
  contextual::ContextualAutotuner tuner{
      {.n_repeat = 40, .search = contextual::SearchLevel::off, .always_tune = true, .log_directory = ""}};
  for (auto _ : state) {
    tuner.run("intercepted", [&] { comparison.measure_round(); });
  }
  comparison.report(state);
}
BENCHMARK(intercepted)->ArgName("keys")->Arg(1)->Arg(64)->Iterations(1);

/// For comparison: an intercepted launch reads the clock twice.
void host_clock_read(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(Clock::now());
  }
}
BENCHMARK(host_clock_read);

}  // namespace

BENCHMARK_MAIN();
