/// \file
/// What timing does to a region whose kernels overlap: 300 kernels of 8 us on one stream beside 8 of 250 us
/// on another, each on a few blocks. Untimed, timed by CUPTI, timed by CUDA events, in turn.
///
/// The kernels write down when they ran, by the device's clock, so that region time (first begin to last end)
/// and overlap (8-us kernels that ran while a 250-us one did) are known in all three.

#include "cuda_common.hpp"

#include <contextual/autotuner.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

constexpr std::size_t short_count = 300;
constexpr std::size_t long_count = 8;
/// Both streams are fed in turn, the long kernels early enough that one always waits behind another.
constexpr std::size_t short_between = 25;
constexpr unsigned long long short_ns = 8'000;
constexpr unsigned long long long_ns = 250'000;
constexpr unsigned blocks = 4;

/// When a block ran, by %globaltimer.
struct Stamp {
  unsigned long long begin_ns;
  unsigned long long end_ns;
};
/// From the first begin to the last end.
Stamp extent(const Stamp* stamps, std::size_t count) {
  Stamp all = stamps[0];
  for (std::size_t i = 1; i < count; ++i) {
    all.begin_ns = std::min(all.begin_ns, stamps[i].begin_ns);
    all.end_ns = std::max(all.end_ns, stamps[i].end_ns);
  }
  return all;
}

/// Arguments: a stamp for each block, and how long a block spins in ns.
using SpinKernel = CudaKernel<VariantConfig, Stamp*, unsigned long long>;

/// One warp a block.
SpinKernel::Definition spin_definition() {
  SpinKernel::Definition definition;
  definition.source = CudaSource::text("spin.cu", R"(
struct Stamp {
  unsigned long long begin_ns;
  unsigned long long end_ns;
};
__device__ unsigned long long device_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
extern "C" __global__ void spin(Stamp* stamps, unsigned long long spin_ns) {
  if (threadIdx.x == 0) {
    const unsigned long long begin = device_ns();
    while (device_ns() - begin < spin_ns) {
    }
    stamps[blockIdx.x] = Stamp{begin, device_ns()};
  }
})");
  definition.variant = [](const VariantConfig& config) { return variant_of("spin", config); };
  definition.layout = [](const VariantConfig&, Stamp* const&, const unsigned long long&) {
    return CudaLayout{.grid = {blocks}, .block = {32}};
  };
  return definition;
}

struct Sample {
  double time_us = 0;
  double overlapped = 0;
};

struct Samples {
  std::vector<double> time_us;
  std::vector<double> overlapped;

  void add(const Sample& sample) {
    time_us.push_back(sample.time_us);
    overlapped.push_back(sample.overlapped);
  }
};

class Region {
 public:
  Region()
      : short_("short", variants(2), single_problem, spin_definition()),
        long_("long", variants(2), single_problem, spin_definition()),
        stamps_((short_count + long_count) * blocks) {
    short_.load();
    long_.load();
  }

  void operator()() {
    for (std::size_t i = 0; i < short_count; ++i) {
      if (i % short_between == 0 && i / short_between < long_count) {
        long_(long_stream_, stamps_.get() + i / short_between * blocks, long_ns);
      }
      short_(short_stream_, stamps_.get() + (long_count + i) * blocks, short_ns);
    }
  }

  /// Of the latest run. Waits for it.
  Sample sample() const {
    short_stream_.wait();
    long_stream_.wait();
    const std::vector<Stamp> stamps = stamps_.download();
    std::vector<Stamp> kernels;
    for (std::size_t i = 0; i < short_count + long_count; ++i) {
      kernels.push_back(extent(stamps.data() + i * blocks, blocks));
    }
    const Stamp all = extent(kernels.data(), kernels.size());
    const auto overlaps = [&](const Stamp& kernel) {
      return std::any_of(kernels.begin(), kernels.begin() + long_count, [&](const Stamp& other) {
        return kernel.begin_ns < other.end_ns && other.begin_ns < kernel.end_ns;
      });
    };
    return {static_cast<double>(all.end_ns - all.begin_ns) / 1e3,
            static_cast<double>(std::count_if(kernels.begin() + long_count, kernels.end(), overlaps))};
  }

 private:
  SpinKernel short_;
  SpinKernel long_;
  Stream short_stream_;
  Stream long_stream_;
  Buffer<Stamp> stamps_;
};

void run_untimed(Region& region, int runs, Samples& samples) {
  region();
  region.sample();
  for (int i = 0; i < runs; ++i) {
    region();
    samples.add(region.sample());
  }
}

/// One tuning of the region; every tuning iteration but the first of each config counts.
void run_timed(Region& region, const TimerFactory& timer, int runs, Samples& samples) {
  Options options;
  options.n_warmup = 1;
  options.n_repeat = (runs + 1) / 2;  // there are two configs
  options.search = contextual::SearchLevel::off;
  options.always_tune = true;
  options.log_directory = "";
  options.timer = timer;
  int iteration = 0;
  options.after_iteration = [&](const IterationInfo& info) {
    const Sample sample = region.sample();
    if (info.phase == Phase::walk && iteration % (1 + *options.n_repeat) != 0) {
      samples.add(sample);
    }
    ++iteration;
  };
  ContextualAutotuner tuner(options);
  tuner.run("two streams", region);
}

void print(const char* what, const Samples& samples, const Samples& reference) {
  std::printf("%-24s %12.1f %+9.2f %% %12.1f of %zu %+9.2f %%\n", what, median(samples.time_us),
              100 * (median(samples.time_us) / median(reference.time_us) - 1), median(samples.overlapped),
              short_count, 100 * (median(samples.overlapped) / median(reference.overlapped) - 1));
}

double longer_by_percent(const Samples& samples, const Samples& reference) {
  return 100 * (median(samples.time_us) / median(reference.time_us) - 1);
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"What timing does to a region whose kernels overlap"};
  int rounds = 10;
  int runs = 20;
  app.add_option("--rounds", rounds, "rounds of each kind, in turn")->check(CLI::Range(1, 10'000));
  app.add_option("--runs", runs, "runs of the region a round")->check(CLI::Range(2, 100'000));
  return run_on_gpu(app, argc, argv, [&] {
    Region region;
    Samples before;
    Samples untimed;
    Samples cupti;
    Samples events;
    Samples after;
    run_untimed(region, rounds * runs, before);  // nothing of CUPTI has been in the process
    for (int round = 0; round < rounds; ++round) {
      run_untimed(region, runs, untimed);
      run_timed(region, cuda_cupti_timer, runs, cupti);
      run_timed(region, cuda_event_timer, runs, events);
    }
    run_untimed(region, rounds * runs, after);

    std::printf("medians                    region, us             8-us kernels beside a 250-us one\n");
    print("untimed, before tuning", before, untimed);
    print("untimed, in turn", untimed, untimed);
    print("timed by CUPTI", cupti, untimed);
    print("timed by CUDA events", events, untimed);
    print("untimed, after tuning", after, untimed);
    std::printf("\n");
    goal_at_most("timed by CUPTI, longer than untimed", longer_by_percent(cupti, untimed), 4, "%");
    goal_at_most("timed by CUPTI, overlap differs from untimed",
                 100 * std::abs(median(cupti.overlapped) / median(untimed.overlapped) - 1), 3, "%");
    goal_at_most("untimed, after against before tuning", std::abs(longer_by_percent(after, before)), 1, "%");
    return 0;
  });
}
