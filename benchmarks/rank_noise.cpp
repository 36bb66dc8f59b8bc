/// \file
/// What noise does to the choice when a sample is the maximum over many ranks. One kernel, the real schedule,
/// statistics and search; only the times are drawn: in every run of the region each of P ranks has the
/// config's true time, some jitter, and now and then an interruption, and the slowest one counts.
///
/// Printed is how much slower than the best config the chosen one truly is.

#include "command_line.hpp"
#include "simulated_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using namespace contextual::benchmarks;
using contextual::Config;

/// True times relative to the best; the first is the default's.
constexpr std::array true_time{1.06, 1.03, 1.00, 1.01, 1.02, 1.04, 1.08, 1.12};

struct Noise {
  const char* name;
  double jitter;         ///< standard deviation, relative
  double interruptions;  ///< probability a rank and run
  double length;         ///< mean of an interruption, relative to the best time
};

constexpr std::array noises{
    Noise{"jitter of 0.5 %", 0.005, 0, 0},
    Noise{"and in 1 of 1,000 runs an interruption of 5 %", 0.005, 0.001, 0.05},
    Noise{"and in 1 of 1,000 runs an interruption of 50 %", 0.005, 0.001, 0.5},
    Noise{"and in 1 of 100,000 runs an interruption of 50 %", 0.005, 0.00001, 0.5},
};

/// z with P(normal > z) = `tail`, for tails up to one half and beyond.
double normal_quantile_of_tail(double tail) {
  double low = -10;
  double high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) / 2 > tail ? low : high) = middle;
  }
  return low;
}

/// Draws what the slowest of many ranks has on top of the true time, relative to the best time.
class SlowestRank {
 public:
  SlowestRank(const Noise& noise, std::int64_t ranks, std::uint64_t seed)
      : noise_(noise), ranks_(ranks), random_(seed) {}

  double operator()() {
    std::int64_t interrupted = 0;
    if (noise_.interruptions > 0) {
      interrupted = std::binomial_distribution<std::int64_t>(ranks_, noise_.interruptions)(random_);
    }
    double slowest = -1;
    if (interrupted < ranks_) {
      // The largest of n normal numbers: its distribution function is the n-th power of the normal one.
      const double u = std::uniform_real_distribution<double>(1e-300, 1)(random_);
      const double tail = -std::expm1(std::log(u) / static_cast<double>(ranks_ - interrupted));
      slowest = noise_.jitter * normal_quantile_of_tail(tail);
    }
    for (std::int64_t i = 0; i < interrupted; ++i) {
      slowest = std::max(slowest, noise_.jitter * std::normal_distribution<double>()(random_) +
                                      std::exponential_distribution<double>(1 / noise_.length)(random_));
    }
    return slowest;
  }

 private:
  Noise noise_;
  std::int64_t ranks_;
  std::mt19937_64 random_;
};

struct Outcome {
  double mean_loss = 0;
  double worst_loss = 0;
  double kept_default = 0;  ///< share of the trials
};

Outcome tune_often(const Noise& noise, std::int64_t ranks, bool search, int trials) {
  contextual::TunableKernel<void(const Config&)> kernel("kernel", numbered_configs(true_time.size()),
                                                        contextual::single_problem, [](const Config&) {});
  Outcome outcome;
  for (int trial = 0; trial < trials; ++trial) {
    SlowestRank slowest(noise, ranks, static_cast<std::uint64_t>(trial));
    contextual::ContextualAutotuner tuner{
        {.search = search ? contextual::SearchLevel::normal : contextual::SearchLevel::off,
         .always_tune = true,
         .log_directory = "",
         .timer = contextual::testing::scripted_timer([&](const contextual::LaunchInfo& launch) {
           return static_cast<std::int64_t>(1e6 * (true_time.at(launch.config_id) + slowest()));
         })}};
    tuner.run("rank_noise", [&] { kernel(); });
    const contextual::Report report = tuner.report();
    const auto chosen = report.runs.back().problems.front().choice;
    const double loss = true_time.at(chosen) / *std::min_element(true_time.begin(), true_time.end()) - 1;
    outcome.mean_loss += loss / trials;
    outcome.worst_loss = std::max(outcome.worst_loss, loss);
    outcome.kept_default += (chosen == 0 ? 1.0 : 0.0) / trials;
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  int trials = 300;
  std::vector<std::int64_t> rank_counts{1, 10, 100, 1000, 10'000};
  BenchmarkApp app{"Choices under noise when a sample is the maximum over many ranks"};
  app.add_option("--trials", trials, "tuning runs a row")->check(CLI::Range(1, 1'000'000));
  app.add_option("--ranks", rank_counts, "numbers of ranks")
      ->delimiter(',')
      ->check(CLI::Range(1, 10'000'000));
  return run_program(app, argc, argv, [&] {
    std::printf("The default is %.0f %% slower than the best config. Loss of the chosen one, in %%.\n",
                100 * (true_time[0] - 1));
    for (const Noise& noise : noises) {
      std::printf("%s\n%8s %12s %12s %14s %12s %12s %14s\n", noise.name, "ranks", "walk: mean", "worst",
                  "kept default", "search: mean", "worst", "kept default");
      for (const std::int64_t ranks : rank_counts) {
        const Outcome walk = tune_often(noise, ranks, false, trials);
        const Outcome search = tune_often(noise, ranks, true, trials);
        std::printf("%8lld %12.2f %12.0f %13.0f%% %12.2f %12.0f %13.0f%%\n", static_cast<long long>(ranks),
                    100 * walk.mean_loss, 100 * walk.worst_loss, 100 * walk.kept_default,
                    100 * search.mean_loss, 100 * search.worst_loss, 100 * search.kept_default);
      }
    }
    return 0;
  });
}
