#pragma once

/// \file
/// Processes that keep choices. A world of simulated ranks stands for a process: its regions have no lock-ins
/// of those before.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/detail/storage/machine.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kept_test {

namespace fs = std::filesystem;

using namespace contextual;
using namespace contextual::test;

/// What the ranks of one process saw.
struct Seen {
  std::vector<int> runs;             ///< of the region, by rank
  std::vector<int> values;           ///< what the region returned last, by rank
  std::vector<std::size_t> configs;  ///< of the last launch, by rank
  std::vector<RegionReport> reports;
  std::vector<std::exception_ptr> thrown;
  testing::ScriptedTraffic traffic;

  /// Every rank ran the region once, with this config.
  bool used(std::size_t config) const {
    return std::all_of(runs.begin(), runs.end(), [](int count) { return count == 1; }) && chose(config);
  }
  /// Every rank has tuned, and chosen this config.
  bool tuned(std::size_t config) const {
    return std::all_of(runs.begin(), runs.end(), [](int count) { return count > 4; }) && chose(config);
  }
  bool chose(std::size_t config) const {
    return count_failed(thrown) == 0 && values == runs &&
           std::all_of(configs.begin(), configs.end(), [&](std::size_t id) { return id == config; });
  }
};

/// What differs from a process that tunes a kernel of three configs and keeps the choice.
struct Process {
  int ranks = 1;
  fs::path directory{};                         ///< of rank 0
  std::function<fs::path(int)> directory_of{};  ///< if not only rank 0 has one
  std::function<std::string(int)> version = [](int) { return ""; };
  std::function<std::string(int)> machine = [](int) { return "as ever"; };
  int configs = 3;
  std::string kernel = "kept";
  std::string region = "kept region";
  Mode mode = Mode::tune;
  Journal journal = Journal::written;
  std::int64_t (*time_ns)(const LaunchInfo&) = later_is_faster;
};

inline thread_local std::string this_machine;

inline Seen run(const Process& process) {
  detail::describe_machine("test", [] { return this_machine; });
  Seen seen;
  const auto count = static_cast<std::size_t>(process.ranks);
  seen.runs.resize(count);
  seen.values.resize(count);
  seen.configs.resize(count);
  seen.reports.resize(count);
  const RankKernels kernels = kernel_per_rank(process.ranks, [&](int rank) {
    return rank_kernel(process.kernel, process.configs, {.version = process.version(rank)},
                       [&seen, rank](const TileConfig& config, int&) {
                         seen.configs[static_cast<std::size_t>(rank)] =
                             static_cast<std::size_t>(config.tile - 1);
                       });
  });
  testing::ScriptedWorld world(process.ranks);
  seen.thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator));
    this_machine = process.machine(rank);
    const auto at = static_cast<std::size_t>(rank);
    Options options;
    options.mode = process.mode;
    options.journal = process.journal;
    options.timer = testing::scripted_timer(process.time_ns);
    options.cache_directory = process.directory_of ? process.directory_of(rank) : process.directory;
    seen.values[at] = tuner.run(
        process.region,
        [&] {
          (*kernels[at])(7);
          return ++seen.runs[at];
        },
        options);
    seen.reports[at] = *tuner.report().runs.rbegin();
  });
  seen.traffic = world.traffic();
  return seen;
}

/// Fails the test if there is not one.
inline fs::path only_file(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory / "choices")) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  REQUIRE(files.size() == 1);
  return files.front();
}

}  // namespace kept_test
