#pragma once

/// \file
/// Processes that share a cache directory. A world of simulated ranks stands for a process: its regions have
/// no lock-ins of those before.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/detail/storage/machine.hpp>

namespace contextual::test::kept_test {

namespace fs = std::filesystem;

/// What the ranks of one process saw.
struct Seen {
  PerRank<int> runs;             ///< of the region, by rank
  PerRank<int> values;           ///< what the region returned last, by rank
  PerRank<std::size_t> configs;  ///< of the last launch, by rank
  PerRank<char> others;          ///< by rank: some launch had another config than the last one
  PerRank<RegionReport> reports;
  std::vector<std::exception_ptr> thrown;
  testing::ScriptedTraffic traffic;

  bool well() const { return count_failed(thrown) == 0 && values == runs; }
  bool ended_with(std::size_t config) const {
    return well() &&
           std::all_of(configs.begin(), configs.end(), [&](std::size_t id) { return id == config; });
  }
  bool only_launched(std::size_t config) const {
    return ended_with(config) &&
           std::none_of(others.begin(), others.end(), [](char other) { return other != 0; });
  }
  /// Every rank ran the region once, with this config.
  bool used(std::size_t config) const {
    return only_launched(config) &&
           std::all_of(runs.begin(), runs.end(), [](int count) { return count == 1; });
  }
  /// Every rank has tuned, and chosen this config.
  bool tuned(std::size_t config) const {
    return ended_with(config) && !only_launched(config) &&
           std::all_of(runs.begin(), runs.end(), [](int count) { return count > 4; });
  }
};

/// What differs from a process that tunes a region with one kernel of three configs, key (7), and keeps the
/// choice.
struct Process {
  int ranks = 1;
  fs::path directory{};                         ///< of all ranks
  bool only_on_rank_0 = false;                  ///< the others have no directory
  std::function<fs::path(int)> directory_of{};  ///< of each rank, instead
  std::function<std::string(int)> version = [](int) { return ""; };
  std::function<std::string(int)> machine = [](int) { return "as ever"; };
  std::size_t configs = 3;
  std::string kernel = "kept";
  std::string region = "kept region";
  RankKernel::Options kernel_options{};
  std::size_t fastest = configs - 1;  ///< by own time and makespan
  RankKernel::Launcher launcher{};    ///< called after the launch is noted; may be empty
  Mode mode = Mode::tune;
  Journal journal = Journal::written;
  std::function<void(Options&)> change = [](auto&) {};  ///< further options of the call
};

inline thread_local std::string this_machine;

inline Seen run(const Process& process) {
  detail::describe_machine("test", [] { return this_machine; });
  constexpr std::size_t none = 99;
  Seen seen;
  const auto count = static_cast<std::size_t>(process.ranks);
  seen.runs.resize(count);
  seen.values.resize(count);
  seen.configs.resize(count, none);
  seen.others.resize(count);
  seen.reports.resize(count);
  const RankKernels kernels = kernel_per_rank(process.ranks, [&](int rank) {
    RankKernel::Options options = process.kernel_options;
    options.version = process.version(rank);
    return rank_kernel(process.kernel, static_cast<int>(process.configs), options,
                       [&, rank](const TileConfig& config, int& key) {
                         const auto id = static_cast<std::size_t>(config.tile - 1);
                         if (seen.configs[rank] != none && seen.configs[rank] != id) {
                           seen.others[rank] = 1;
                         }
                         seen.configs[rank] = id;
                         if (process.launcher) {
                           process.launcher(config, key);
                         }
                       });
  });
  testing::ScriptedWorld world(process.ranks);
  seen.thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator));
    this_machine = process.machine(rank);
    const auto time_of = [&](std::size_t id) {
      const std::size_t place = (id + process.configs - process.fastest) % process.configs;
      return 1000 + 1000 * static_cast<std::int64_t>(place);
    };
    Options options{.mode = process.mode,
                    .journal = process.journal,
                    .timer = testing::scripted_timer(
                        [&](const LaunchInfo& launch) { return time_of(launch.config_id); },
                        [&](std::int64_t, const auto&) { return time_of(seen.configs[rank]); })};
    if (process.directory_of) {
      options.cache_directory = process.directory_of(rank);
    } else {
      options.cache_directory = rank == 0 || !process.only_on_rank_0 ? process.directory : fs::path();
    }
    process.change(options);
    seen.values[rank] = tuner.run(
        process.region,
        [&] {
          kernels(rank, 7);
          return ++seen.runs[rank];
        },
        options);
    seen.reports[rank] = *tuner.report().runs.rbegin();
  });
  seen.traffic = world.traffic();
  return seen;
}

/// Every rank threw InvalidArgument with all of `parts`, and ran nothing.
inline void check_refused(const Seen& seen, const std::vector<std::string>& parts) {
  for (const std::exception_ptr& thrown : seen.thrown) {
    INFO(text_of(thrown));
    CHECK(threw<InvalidArgument>(thrown));
    for (const std::string& part : parts) {
      CHECK_THAT(text_of(thrown), ContainsSubstring(part));
    }
  }
  CHECK(seen.runs == std::vector<int>(seen.runs.size(), 0));
}

/// Each rank does `body` in a process of its own; rank 0 has the directory.
inline std::vector<std::exception_ptr> in_process(
    int ranks, const fs::path& directory,
    const std::function<void(int, ContextualAutotuner&, const Options&)>& body) {
  return on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    const Options options{.cache_directory = rank == 0 ? directory : fs::path()};
    body(rank, tuner, options);
  });
}

/// A process of one rank.
struct Alone {
  std::string error;    ///< empty where nothing was thrown
  RegionReport report;  ///< of the last run
};

/// Runs a region once in a process of one rank.
inline Alone run_alone(
    const fs::path& directory, const std::string& region, const std::function<void()>& body,
    const std::function<void(Options&)>& change = [](Options&) {}) {
  Alone alone;
  const auto thrown = in_process(1, directory, [&](int, ContextualAutotuner& tuner, Options options) {
    change(options);
    tuner.run(region, body, options);
    alone.report = *tuner.report().runs.rbegin();
  });
  alone.error = text_of(thrown[0]);
  return alone;
}

/// Fails the test if there is not one.
inline fs::path only_file(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory / "choices")) {
    if (entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  REQUIRE(files.size() == 1);
  return files.front();
}

}  // namespace contextual::test::kept_test
