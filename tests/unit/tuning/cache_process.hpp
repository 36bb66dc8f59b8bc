#pragma once

/// \file
/// Processes that share a cache directory. A world of simulated ranks stands for a process: its regions have
/// no lock-ins of those before.

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/choices.hpp>
#include <contextual/detail/storage/machine.hpp>

#include <cstddef>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace contextual::test {

/// What the ranks of one process saw.
struct CacheSeen {
  std::vector<int> runs;             ///< of the region, by rank
  std::vector<std::size_t> configs;  ///< of the last launch, by rank
  std::vector<bool> others;          ///< by rank: some launch had another config than the last one
  std::vector<RegionReport> reports;
  std::vector<std::exception_ptr> thrown;

  bool well() const { return count_failed(thrown) == 0; }
  /// Every rank ran the region once, with this config.
  bool used(std::size_t config) const {
    return well() && std::all_of(runs.begin(), runs.end(), [](int count) { return count == 1; }) &&
           only_launched(config);
  }
  bool only_launched(std::size_t config) const {
    return ended_with(config) && std::none_of(others.begin(), others.end(), [](bool other) { return other; });
  }
  bool ended_with(std::size_t config) const {
    return well() &&
           std::all_of(configs.begin(), configs.end(), [&](std::size_t id) { return id == config; });
  }
  bool tuned(std::size_t config) const { return ended_with(config) && !only_launched(config); }
};

/// A process that runs a region with one kernel of three configs, key (7).
struct CacheProcess {
  int ranks = 1;
  std::filesystem::path directory{};  ///< of rank 0; the others have none
  std::string kernel = "kept";
  std::string region = "kept region";
  RankKernel::Options kernel_options{};
  std::size_t fastest = 2;                              ///< by own time and makespan
  RankKernel::Launcher launcher{};                      ///< called after the launch is noted; may be empty
  std::function<void(Options&)> change = [](auto&) {};  ///< options of the call

  CacheSeen run() const {
    detail::describe_machine("test", [] { return std::string("alike"); });
    CacheSeen seen;
    const auto count = static_cast<std::size_t>(ranks);
    seen.runs.resize(count);
    seen.configs.resize(count, 9);
    seen.others.resize(count);
    seen.reports.resize(count);
    std::vector<char> others(count);  // a bit of a vector<bool> is no object of its own
    const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      return rank_kernel(kernel, 3, kernel_options, [&, at](const TileConfig& config, int& key) {
        const auto id = static_cast<std::size_t>(config.tile - 1);
        others[at] = others[at] != 0 || (seen.configs[at] != 9 && seen.configs[at] != id) ? 1 : 0;
        seen.configs[at] = id;
        if (launcher) {
          launcher(config, key);
        }
      });
    });
    seen.thrown =
        on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const std::shared_ptr<Communicator>&) {
          const auto at = static_cast<std::size_t>(rank);
          Options options;
          const auto time_of = [this](std::size_t id) {
            return std::int64_t{1000} + 1000 * static_cast<std::int64_t>((id + 3 - fastest) % 3);
          };
          options.timer = testing::scripted_timer(
              [time_of](const LaunchInfo& launch) { return time_of(launch.config_id); },
              [&, at, time_of](std::int64_t, const auto&) { return time_of(seen.configs[at]); });
          options.cache_directory = rank == 0 ? directory : std::filesystem::path();
          change(options);
          tuner.run(
              region,
              [&] {
                ++seen.runs[at];
                (*kernels[at])(7);
              },
              options);
          seen.reports[at] = *tuner.report().runs.rbegin();
        });
    for (std::size_t at = 0; at < count; ++at) {
      seen.others[at] = others[at] != 0;
    }
    return seen;
  }
};

}  // namespace contextual::test
