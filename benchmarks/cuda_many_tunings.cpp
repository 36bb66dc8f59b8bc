/// \file
/// What many tunings in one process leave behind: memory of the device and of the process, and what a launch
/// costs afterwards. With --nccl a communicator of one rank lives in the process meanwhile, and the tuner
/// uses it.

#include "cuda_launches.hpp"

#ifdef CONTEXTUAL_BENCHMARK_NCCL
#include <contextual/nccl.hpp>
#endif

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace contextual;
using namespace contextual::benchmarks;

constexpr double mib = 1024.0 * 1024.0;

struct Memory {
  double device_mib = 0;    ///< in use, by anyone
  double resident_mib = 0;  ///< of this process
};

Memory memory_now() {
  std::size_t free = 0;
  std::size_t total = 0;
  CONTEXTUAL_CHECKED(cudaMemGetInfo(&free, &total));
  std::size_t pages = 0;
  std::size_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return {static_cast<double>(total - free) / mib,
          static_cast<double>(resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / mib};
}

struct RawLaunch {
  double ns = 0;     ///< the median of some windows
  double least = 0;  ///< of the windows
  double most = 0;

  std::string text() const {
    char text[80];
    std::snprintf(text, sizeof text, "%.0f (%.0f to %.0f)", ns, least, most);
    return text;
  }
};

/// The fastest tenth of the batches of each window: a virtual machine is slower for a second now and then.
RawLaunch raw_launch(Launches& launches) {
  std::vector<double> windows;
  for (int window = 0; window < 9; ++window) {
    std::vector<double> batches;
    for (int i = 0; i < 500; ++i) {
      batches.push_back(ns_per_launch(launches, 50, [&] { launches.raw(); }));
    }
    std::sort(batches.begin(), batches.end());
    batches.resize(batches.size() / 10);
    windows.push_back(median(batches));
  }
  const auto [least, most] = std::minmax_element(windows.begin(), windows.end());
  return {median(windows), *least, *most};
}

std::shared_ptr<Communicator> ranks(bool nccl) {
  if (!nccl) {
    return one_rank();
  }
#ifdef CONTEXTUAL_BENCHMARK_NCCL
  return nccl_communicator(nccl_id(), 0, 1);
#else
  throw std::runtime_error("built without NCCL");
#endif
}

int measure(int tunings, bool nccl) {
  Stream stream;
  Nothing kernel = nothing_kernel();
  kernel.load();
  Launches launches(kernel, stream);
  const std::shared_ptr<Communicator> communicator = ranks(nccl);
  Options options = tuning(cuda_cupti_timer, 5);
  options.communicator = communicator;
  ContextualAutotuner tuner(options);
  const auto tune = [&] { tuner.run("many tunings", [&] { launches.tunable(); }); };

  // By events, so that CUPTI has not been in the process yet.
  Options by_events = options;
  by_events.timer = cuda_event_timer;
  tuner.run(
      "many tunings", [&] { launches.tunable(); }, by_events);
  raw_launch(launches);
  const RawLaunch before = raw_launch(launches);
  // CUPTI's own memory is none of the tunings': of a launch that it sees, and of being detached.
  tune();
  raw_launch(launches);
  detach_cupti();
  tune();
  const Memory first = memory_now();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i < tunings; ++i) {
    tune();
  }
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
  const RawLaunch attached = raw_launch(launches);
  const bool detached = detach_cupti();
  const Memory last = memory_now();
  const RawLaunch after = raw_launch(launches);

  std::printf("%d tunings%s, %.1f ms each\n", tunings, nccl ? " beside NCCL" : "",
              elapsed.count() / std::max(1, tunings - 1));
  std::printf("a raw launch, ns: before %s, after the last run %s, after detach_cupti %s\n",
              before.text().c_str(), attached.text().c_str(), after.text().c_str());
  std::printf("memory in use since the second tuning, MiB: device %.2f, process %.2f\n",
              last.device_mib - first.device_mib, last.resident_mib - first.resident_mib);
  goal_at_most("device memory lost after the second tuning", last.device_mib - first.device_mib, 16, "MiB");
  goal_at_most("memory of the process lost after the second tuning", last.resident_mib - first.resident_mib,
               4, "MiB");
  goal_at_most("a raw launch after all tunings over one before", after.ns - before.ns, 40, "ns");
  return detached ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  BenchmarkApp app{"What many tunings in one process leave behind"};
  int tunings = 300;
  bool nccl = false;
  app.add_option("--tunings", tunings, "one after another")->check(CLI::Range(1, 100'000));
  app.add_flag("--nccl", nccl, "with a communicator of NCCL in the process");
  return run_on_gpu(app, argc, argv, [&] { return measure(tunings, nccl); });
}
