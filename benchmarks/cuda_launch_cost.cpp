/// \file
/// What a CudaKernel's launch costs on the host over a raw launch by the driver, of the same function with
/// the same arguments: locked in, and while it is timed by CUPTI in a region that is being tuned.
///
/// Kinds of launches take turns in small batches; the stream is drained before each batch, so that no launch
/// waits for a place in the queue. Printed are ns a launch on the host: medians over rounds, and the median
/// of the rounds' differences. `cuda_launch_path` measures the same path with a driver that does nothing.
///
/// A virtual machine whose processor others use as well is slower for seconds at a time, and CUPTI suffers
/// from it more than raw launches do; so timed launches are printed twice, the second time for the quarter of
/// the tunings beside which raw launches were fastest.

#include "cuda_timed_launch.hpp"

#include <cstdio>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

/// One value a round.
struct Rounds {
  std::vector<double> raw;
  std::vector<double> raw_ex;
  std::vector<double> tunable;

  /// The order shifts, so that no kind always follows the same one.
  void add(Launches& launches, int batch) {
    const std::size_t first = raw.size();
    for (std::size_t i = 0; i < 3; ++i) {
      switch ((first + i) % 3) {
        case 0:
          raw.push_back(ns_per_launch(launches, batch, [&] { launches.raw(); }));
          break;
        case 1:
          raw_ex.push_back(ns_per_launch(launches, batch, [&] { launches.raw_ex(); }));
          break;
        default:
          tunable.push_back(ns_per_launch(launches, batch, [&] { launches.tunable(); }));
      }
    }
  }
  void print(const char* when) const {
    std::printf("%-28s %14.0f %16.0f %12.0f %14.1f %16.1f\n", when, median(raw), median(raw_ex),
                median(tunable), median(differences(tunable, raw)), median(differences(tunable, raw_ex)));
  }
};

Rounds measure(Launches& launches, int rounds, int batch) {
  Rounds warm_up;
  for (int i = 0; i < rounds / 10 + 1; ++i) {
    warm_up.add(launches, batch);
  }
  Rounds result;
  for (int i = 0; i < rounds; ++i) {
    result.add(launches, batch);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"Host cost of a CudaKernel's launch over a raw launch by the driver"};
  int rounds = 2000;
  int batch = 50;
  int tunings = 60;
  app.add_option("--rounds", rounds, "rounds of one batch of each kind");
  app.add_option("--batch", batch, "launches a batch");
  app.add_option("--tunings", tunings, "tunings whose launches are timed")->check(CLI::Range(1, 10'000));
  return run_on_gpu(app, argc, argv, [&] {
    Stream stream;
    Nothing kernel = nothing_kernel();
    kernel.load();
    Launches launches(kernel, stream);
    ContextualAutotuner tuner;
    // By events, so that CUPTI has not been in the process yet.
    tuner.run(
        "lock in", [&] { launches.tunable(); }, tuning(cuda_event_timer, 3));

    std::printf(
        "ns a launch                  cuLaunchKernel cuLaunchKernelEx   CudaKernel over the first  over the "
        "second\n");
    const Rounds locked_in = measure(launches, rounds, batch);
    locked_in.print("locked in");
    TimedOverRaw timed(launches, batch);
    for (int i = 0; i < tunings; ++i) {
      timed.add_tuning();
    }
    const Rounds after = measure(launches, rounds, batch);
    after.print("locked in, after tuning");
    std::printf("\n");
    timed.print();
    std::printf("\n");
    goal_at_most("locked-in launch over a raw cuLaunchKernel",
                 median(differences(locked_in.tunable, locked_in.raw)), 40, "ns");
    goal_at_most("locked-in launch over a raw cuLaunchKernel, after tuning",
                 median(differences(after.tunable, after.raw)), 40, "ns");
    goal_at_most("timed launch over a raw cuLaunchKernel without CUPTI", timed.over_raw(), 800, "ns");
    goal_at_most(
        "timed launch over a raw cuLaunchKernel, of the quarter of tunings with the fastest raw launches",
        timed.least_disturbed_over_raw(), 800, "ns");
    return 0;
  });
}
