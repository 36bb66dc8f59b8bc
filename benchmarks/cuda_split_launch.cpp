/// \file
/// Whether a launch of several kernels is chosen by what it costs a program: the gaps between its kernels,
/// too.
///
/// The work of a launch is 1, 2, 4 or 8 kernels, one after the other, which keep the device busy
/// for 20.6, 18.4, 16.8 and 14.1 us in sum; each gap costs about a microsecond. First the configs are timed
/// as many calls in a row pay for them, in turn and without a timer, while the host is ahead. Then the region
/// is tuned many times, each time from nothing, and each choice is compared with the best config by those
/// times.

#include "cuda_common.hpp"

#include <contextual/autotuner.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

constexpr double largest_ratio = 1.02;
constexpr int calls_in_a_row = 50;

struct SplitConfig {
  int kernels = 1;
};

struct Settings {
  int tunings = 10;
  int rounds = 40;
};

const std::vector<int>& splits() {
  static const std::vector<int> all{1, 2, 4, 8};
  return all;
}

/// In sum.
double busy_us(int kernels) {
  return kernels == 1 ? 20.6 : kernels == 2 ? 18.4 : kernels == 4 ? 16.8 : 14.1;
}

/// One thread that is busy for so many cycles of its clock.
class Wait {
 public:
  Wait() {
    kernel_.load();
    CONTEXTUAL_CHECKED(cudaDeviceGetAttribute(&khz_, cudaDevAttrClockRate, 0));
  }
  void operator()(cudaStream_t stream, double us) {
    const auto cycles = static_cast<long long>(us * 1e-3 * khz_);
    CONTEXTUAL_CHECKED(kernel_.launch_config(0, stream, cycles));
  }

 private:
  using Kernel = CudaKernel<VariantConfig, long long>;
  static Kernel::Definition definition() {
    Kernel::Definition definition;
    definition.source = CudaSource::text("wait.cu", R"(extern "C" __global__ void wait(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
})");
    definition.variant = [](const VariantConfig& config) { return variant_of("wait", config); };
    definition.layout = [](const VariantConfig&, const long long&) { return CudaLayout{}; };
    return definition;
  }

  Kernel kernel_{"wait", variants(1), [](const long long&) { return Key{}; }, definition()};
  int khz_ = 0;
};

void run(Wait& wait, int kernels, cudaStream_t stream) {
  for (int i = 0; i < kernels; ++i) {
    wait(stream, busy_us(kernels) / kernels);
  }
}

/// us a call, by config.
std::vector<double> time_in_a_row(Wait& wait, const Stream& stream, int rounds) {
  constexpr double head_start_us = 3'000;
  const Event begin;
  const Event end;
  const auto samples = samples_in_turn(rounds, splits().size(), [&](std::size_t i) {
    wait(stream, head_start_us);
    begin.record(stream);
    for (int call = 0; call < calls_in_a_row; ++call) {
      run(wait, splits()[i], stream);
    }
    end.record(stream);
    stream.wait();
    return end.us_since(begin) / calls_in_a_row;
  });
  std::vector<double> times;
  for (const std::vector<double>& of_config : samples) {
    times.push_back(median(of_config));
  }
  return times;
}

int measure(const Settings& settings) {
  Wait wait;
  const Stream stream;
  const std::vector<double> in_a_row = time_in_a_row(wait, stream, settings.rounds);
  const double best_us = *std::min_element(in_a_row.begin(), in_a_row.end());
  TunableKernel split{"split", ConfigSpace<SplitConfig>{{"KERNELS", &SplitConfig::kernels, splits()}},
                      single_problem,
                      [&](const SplitConfig& config, cudaStream_t on) { run(wait, config.kernels, on); }};
  std::vector<std::vector<double>> own(splits().size());
  std::vector<long> chosen(splits().size());
  double worst = 0;
  std::string reason;
  for (int i = 0; i < settings.tunings; ++i) {
    Options options;
    options.always_tune = true;
    options.log_directory = "";
    options.cache_directory = "";
    options.timer = cuda_cupti_timer;
    ContextualAutotuner tuner(options);
    tuner.run("split launch", [&] { split(static_cast<cudaStream_t>(stream)); });
    const Report report = tuner.report();
    const ProblemReport& problem = report.find("split launch")->problems.front();
    ++chosen[problem.choice];
    worst = std::max(worst, in_a_row[problem.choice] / best_us);
    reason = problem.reason;
    for (std::size_t config = 0; config < own.size(); ++config) {
      own[config].push_back(1e-3 * problem.configs[config].time.centre_ns);
    }
  }
  std::printf("%-8s %16s %14s %8s\n", "kernels", "us in a row", "own time, us", "chosen");
  for (std::size_t i = 0; i < splits().size(); ++i) {
    std::printf("%-8d %16.1f %14.1f %8ld\n", splits()[i], in_a_row[i], median(own[i]), chosen[i]);
  }
  std::printf("the last reason: %s\n", reason.c_str());
  return goal_at_most("largest ratio of a choice to the best config, calls in a row", worst, largest_ratio,
                      "")
             ? 0
             : 1;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"A launch of one to eight kernels: is what is best in a row chosen?"};
  Settings settings;
  app.add_option("--tunings", settings.tunings, "each from nothing")->check(CLI::PositiveNumber);
  app.add_option("--rounds", settings.rounds, "of calls in a row, with each config in turn")
      ->check(CLI::PositiveNumber);
  return run_on_gpu(app, argc, argv, [&] { return measure(settings); });
}
