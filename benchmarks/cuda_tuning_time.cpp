/// \file
/// How long it takes to tune a region of three kernels with 32, 12 and 12 configs: from nothing, with machine
/// code on the disk, and with everything compiled and loaded.
///
/// Region time: the mean makespan over all tuning iterations, so of the configs that were tried, as CUPTI
/// recorded them. Region runs: all of them, the final run included. For comparison also the tuned region
/// alone: untimed, back to back, launches of the locked-in configs.

#include "cuda_three_kernels.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/testing/forwarding_timer.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;
using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

/// What one tuning took, in ms.
struct Cost {
  double wall = 0;
  double set_up = 0;          ///< until the first run of the region: timer, first configs compiled and loaded
  double region = 0;          ///< host time in the region and until the next settle begins
  double settle = 0;          ///< waiting for the device, taking and sorting records
  double search = 0;          ///< of the wall time, from the walk's end to the final run
  double timed_makespan = 0;  ///< sum over tuning iterations
  long timed_iterations = 0;
  long runs = 0;  ///< of the region

  double rest() const { return wall - set_up - region - settle; }  ///< compiling, policy, exchange, log
  double region_time() const { return timed_makespan / static_cast<double>(timed_iterations); }
  double over_region() const { return wall / (static_cast<double>(runs) * region_time()); }
};

/// Another timer, whose settles are measured and whose makespans are added up.
class WatchedTimer final : public testing::ForwardingTimer {
 public:
  WatchedTimer(std::unique_ptr<Timer> timer, Cost& cost) : ForwardingTimer(std::move(timer)), cost_(cost) {}

  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    const auto begin = Clock::now();
    ForwardingTimer::settle(launches, iterations, std::move(deadline));
    cost_.settle += ms_between(begin, Clock::now());
    for (const IterationTiming& iteration : iterations) {
      if (iteration.makespan_ns > 0) {
        cost_.timed_makespan += static_cast<double>(iteration.makespan_ns) / 1e6;
        ++cost_.timed_iterations;
      }
    }
  }

 private:
  Cost& cost_;
};

class Tuning {
 public:
  Tuning(const ThreeBuffers& buffers, const Stream& stream, bool search)
      : buffers_(buffers), stream_(stream), search_(search) {}

  /// From `begin` on, so that making the kernels can be part of it.
  Cost tune(const ThreeKernels& kernels, Clock::time_point begin) {
    Cost cost;
    Phase phase = Phase::walk;
    Clock::time_point search_begin;
    Clock::time_point iteration_begin;
    Options options;
    options.search = search_ ? contextual::SearchLevel::normal : contextual::SearchLevel::off;
    options.always_tune = true;
    options.log_directory = "";
    options.timer = [&cost] { return std::make_unique<WatchedTimer>(cuda_cupti_timer(), cost); };
    options.before_iteration = [&](const IterationInfo& info) {
      iteration_begin = Clock::now();
      if (cost.runs++ == 0) {
        cost.set_up = ms_between(begin, iteration_begin);
      }
      if (info.phase == Phase::search && phase != Phase::search) {
        search_begin = iteration_begin;
      } else if (info.phase == Phase::final_run && phase == Phase::search) {
        cost.search = ms_between(search_begin, iteration_begin);
      }
      phase = info.phase;
    };
    options.after_iteration = [&](const IterationInfo&) {
      cost.region += ms_between(iteration_begin, Clock::now());
    };
    ContextualAutotuner tuner(options);
    tuner.run("three kernels", [&] { kernels.launch(buffers_, stream_); });
    stream_.wait();
    cost.wall = ms_between(begin, Clock::now());
    const Report report = tuner.report();
    report_ = *report.find("three kernels");
    return cost;
  }

  /// Of the latest tuning.
  const RegionReport& report() const { return report_; }

 private:
  const ThreeBuffers& buffers_;
  const Stream& stream_;
  bool search_;
  RegionReport report_;
};

void print(const char* what, const Cost& cost) {
  std::printf("%-26s %8.1f %6ld %9.4f %8.2f %9.1f %9.1f %9.1f %9.1f %9.1f\n", what, cost.wall, cost.runs,
              cost.region_time(), cost.over_region(), cost.set_up, cost.region, cost.settle, cost.rest(),
              cost.search);
}

/// ms a run, back to back, untimed.
double alone_ms(const ThreeKernels& kernels, const ThreeBuffers& buffers, const Stream& stream) {
  constexpr int runs = 300;
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) {
    stream.wait();
    const auto begin = Clock::now();
    for (int i = 0; i < runs; ++i) {
      kernels.launch(buffers, stream);
    }
    stream.wait();
    times.push_back(ms_between(begin, Clock::now()) / runs);
  }
  return median(times);
}

/// The tuning whose wall time is in the middle.
Cost middle(std::vector<Cost> costs) {
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2), costs.end(),
                   [](const Cost& a, const Cost& b) { return a.wall < b.wall; });
  return costs[costs.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"Time to tune a region of three kernels with 32, 12 and 12 configs"};
  int repeats = 7;
  bool no_search = false;
  app.add_option("--repeats", repeats, "tunings with everything compiled; the one in the middle counts")
      ->check(CLI::Range(1, 1000));
  app.add_flag("--no-search", no_search, "the walk alone, as other tuners do");
  return run_on_gpu(app, argc, argv, [&] {
    const TemporaryCache cache;
    const ThreeBuffers buffers;
    const Stream stream;
    Tuning tuning(buffers, stream, !no_search);
    std::printf("%u cores, search %s; times in ms\n%-26s %8s %6s %9s %8s %9s %9s %9s %9s %9s\n",
                std::thread::hardware_concurrency(), no_search ? "off" : "on", "", "wall", "runs", "region",
                "wall/", "set-up", "in region", "settle", "rest", "of wall:");
    std::printf("%-26s %8s %6s %9s %8s %9s %9s %9s %9s %9s\n", "", "", "", "time", "regions", "", "", "", "",
                "search");
    auto begin = Clock::now();
    auto kernels = std::make_unique<ThreeKernels>();
    const Cost from_nothing = tuning.tune(*kernels, begin);
    print("from nothing", from_nothing);
    kernels.reset();
    begin = Clock::now();
    kernels = std::make_unique<ThreeKernels>();
    print("machine code on the disk", tuning.tune(*kernels, begin));
    std::vector<Cost> costs;
    for (int i = 0; i < repeats; ++i) {
      costs.push_back(tuning.tune(*kernels, Clock::now()));
    }
    const Cost compiled = middle(costs);
    print("compiled already", compiled);

    buffers.poison();
    kernels->launch(buffers, stream);
    const double alone = alone_ms(*kernels, buffers, stream);
    const double error = buffers.error();
    std::printf("\ntuned region alone, back to back, untimed: %.4f ms; largest relative error %.4f\n%s\n",
                alone, error, tuning.report().choices_text().c_str());
    for (const std::string& warning : tuning.report().warnings) {
      std::printf("warning: %s\n", warning.c_str());
    }
    const auto runs = static_cast<double>(compiled.runs);
    constexpr double free_ms = 50;
    goal_at_most("compiled: (wall - 50 ms) over runs x region time of the configs tried",
                 (compiled.wall - free_ms) / (runs * compiled.region_time()), 1.15, "x");
    goal_at_most("compiled: (wall - 50 ms) over runs x the tuned region alone",
                 (compiled.wall - free_ms) / (runs * alone), 1.15, "x");
    goal_at_most("from nothing, context there", from_nothing.wall / 1e3, 5, "s");
    return error < 0.02 ? 0 : 1;
  });
}
