/// \file
/// Installs a search of one's own: a model that predicts the region's time, of which only the best
/// predictions are measured.
///
/// The region is made up. Two kernels share a device of eight slots, and each says by its config how many
/// slots it takes. Two kernels that fit beside each other run at the same time; otherwise one waits for the
/// other. A kernel alone is the fastest in all slots. The region is the shortest where the kernels share
/// them.

#include "searches/model_top_k.hpp"

#include <contextual/autotuner.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/kernel.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <iostream>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int all_slots = 8;
constexpr double gather_ms = 60;  ///< of each kernel in one slot
constexpr double gemm_ms = 30;

/// A fifth of the work does not become faster with more slots.
Milliseconds time_of(double one_slot_ms, int slots) {
  return Milliseconds(one_slot_ms * (0.2 + 0.8 / slots));
}

/// Instead of a device: work is sleep, and takes slots away from other work. Thread-safe.
class Device {
 public:
  /// Waits until so many slots are free, which is no longer than the other kernel takes, and works in them.
  void work(int slots, Milliseconds time) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return free_ >= slots; });
    free_ -= slots;
    lock.unlock();
    std::this_thread::sleep_for(time);
    lock.lock();
    free_ += slots;
    freed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_ = all_slots;
};

struct SlotsConfig {
  int slots = all_slots;  // as if the kernel were alone
};

using Kernel = contextual::TunableKernel<void(const SlotsConfig&, Device&)>;

Kernel make_kernel(const std::string& name, double one_slot_ms) {
  return Kernel(name, contextual::ConfigSpace<SlotsConfig>{{"SLOTS", &SlotsConfig::slots, {1, 2, 4, 6, 8}}},
                contextual::single_problem, [one_slot_ms](const SlotsConfig& config, Device& device) {
                  device.work(config.slots, time_of(one_slot_ms, config.slots));
                });
}

/// Makes the search of a region. The request also has what the walk has measured, which this model does not
/// need. Every rank makes a search of its own, from an equal request. So that all of them plan the same, a
/// search reads nothing else.
std::unique_ptr<contextual::Search> make_search(const contextual::SearchRequest& request) {
  std::vector<double> one_slot_ms;
  for (const contextual::SearchProblem& problem : request.problems) {
    one_slot_ms.push_back(problem.kernel == "gather" ? gather_ms : gemm_ms);
  }
  const auto predicted_ms = [one_slot_ms](const std::vector<contextual::Config>& configs) {
    int slots = 0;
    std::vector<double> times;
    for (std::size_t problem = 0; problem < configs.size(); ++problem) {
      slots += configs[problem].get<int>("SLOTS");
      times.push_back(time_of(one_slot_ms[problem], configs[problem].get<int>("SLOTS")).count());
    }
    return slots <= all_slots ? *std::max_element(times.begin(), times.end())
                              : std::accumulate(times.begin(), times.end(), 0.0);
  };
  constexpr std::size_t measured = 4;
  return std::make_unique<examples::ModelTopK>(request, predicted_ms, measured);
}

void tune(contextual::Detail detail) {
  Device device;
  Kernel gather = make_kernel("gather", gather_ms);
  Kernel gemm = make_kernel("gemm", gemm_ms);
  contextual::ContextualAutotuner tuner{
      {.n_warmup = 1, .n_repeat = 2, .search_settings = {.factory = make_search}, .log_directory = ""}};
  tuner.run("shared_device", [&] {
    const auto context = contextual::RegionContext::current();
    std::thread other([&] {
      const contextual::ContextGuard guard(context);  // makes its launches part of the region
      gather(device);
    });
    gemm(device);
    other.join();
  });

  const contextual::Report report = tuner.report();
  const contextual::RegionReport& region = *report.find("shared_device");
  std::cout << region.to_string(detail);
  std::cout << "The region ran " << region.walk_iterations << " times in the walk and "
            << region.search_iterations << " times in the search.\n";
}

}  // namespace

int main(int argc, char** argv) {
  const bool why = argc == 2 && std::string_view(argv[1]) == "--why";
  if (argc > 1 && !why) {
    std::cerr << "usage: own_search [--why]\n";
    return 2;
  }
  try {
    tune(why ? contextual::Detail::why : contextual::Detail::choices);
  } catch (const std::exception& error) {
    std::cerr << "own_search: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
