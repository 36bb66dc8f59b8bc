#pragma once

/// \file
/// Regions on simulated ranks. Catch2's assertions are for one thread: bodies write down, tests look after.

#include <contextual/autotuner.hpp>
#include <contextual/context_guard.hpp>
#include <contextual/error.hpp>
#include <contextual/kernel.hpp>
#include <contextual/testing/scripted_communicator.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace contextual::test {

struct TileConfig {
  int tile = 1;
};

inline ConfigSpace<TileConfig> tiles(int count) {
  std::vector<int> values;
  for (int value = 1; value <= count; ++value) {
    values.push_back(value);
  }
  return ConfigSpace<TileConfig>{{"TILE", &TileConfig::tile, values}};
}

/// `void(int key)`, keyed by its argument. Ranks that are to differ get an object each.
using RankKernel = TunableKernel<void(const TileConfig&, int)>;

inline std::unique_ptr<RankKernel> rank_kernel(
    const std::string& name, int configs, RankKernel::Options options = {},
    RankKernel::Launcher launcher = [](const TileConfig&, int&) {}) {
  return std::make_unique<RankKernel>(
      name, tiles(configs), [](const int& key) { return make_key(key); }, std::move(launcher),
      std::move(options));
}

/// For `load` or a launcher: rejects the config with this tile, if `here`.
inline auto refuse_tile(bool here, int tile, std::string why) {
  return [=](const TileConfig& config, auto&... /*key*/) {
    if (here && config.tile == tile) {
      throw ConfigRejected(why);
    }
  };
}

/// An object of the same name for each rank.
using RankKernels = std::vector<std::unique_ptr<RankKernel>>;

template <typename Make>
RankKernels kernel_per_rank(int ranks, const Make& make) {
  RankKernels kernels;
  for (int rank = 0; rank < ranks; ++rank) {
    kernels.push_back(make(rank));
  }
  return kernels;
}

/// Later configs are faster.
inline std::int64_t later_is_faster(const LaunchInfo& launch) {
  return 10000 - 1000 * static_cast<std::int64_t>(launch.config_id);
}

inline Options rank_options(std::shared_ptr<Communicator> communicator) {
  Options options;
  options.n_warmup = 1;
  options.n_repeat = 2;
  options.search = contextual::SearchLevel::off;
  options.log_directory = "";
  options.communicator = std::move(communicator);
  options.timer = testing::scripted_timer(later_is_faster);
  return options;
}

template <typename E>
bool threw(const std::exception_ptr& thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const E&) {
    return true;
  } catch (...) {
  }
  return false;
}

inline std::string text_of(const std::exception_ptr& thrown) {
  try {
    if (thrown) {
      std::rethrow_exception(thrown);
    }
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "no std::exception";
  }
  return "";
}

/// What a rank's tuner is told to do; `tuner` and `communicator` are the rank's own.
using RankBody =
    std::function<void(int rank, ContextualAutotuner& tuner, const std::shared_ptr<Communicator>&)>;

/// One tuner a rank with `rank_options`; returns what the bodies threw, in rank order.
inline std::vector<std::exception_ptr> on_ranks(int ranks, const RankBody& body) {
  testing::ScriptedWorld world(ranks);
  return world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator));
    body(rank, tuner, communicator);
  });
}

/// What came of a region that each rank has run once, with a tuner of its own: all by rank.
struct RankRuns {
  std::vector<std::exception_ptr> thrown;
  std::vector<RegionReport> reports;  ///< empty where the run ended before it had one
  std::vector<int> runs;              ///< of the region

  bool well() const {
    return std::none_of(thrown.begin(), thrown.end(), [](const auto& error) { return error != nullptr; });
  }
};

/// Called as run number `run` of the region on a rank, from 0 on.
using RankRegion = std::function<void(int rank, int run)>;
/// Changes the options of a rank's call.
using RankChange = std::function<void(int rank, Options& options)>;

inline RankRuns run_on_ranks(
    int ranks, const RankRegion& region, const RankChange& change = [](int, Options&) {}) {
  RankRuns outcome;
  outcome.reports.resize(static_cast<std::size_t>(ranks));
  outcome.runs.resize(static_cast<std::size_t>(ranks));
  outcome.thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto at = static_cast<std::size_t>(rank);
    Options options;
    change(rank, options);
    const auto keep_report = [&] {
      const Report report = tuner.report();
      outcome.reports[at] = report.runs.empty() ? RegionReport{} : report.runs.back();
    };
    try {
      tuner.run(
          "region", [&] { region(rank, outcome.runs[at]++); }, options);
    } catch (...) {
      keep_report();
      throw;
    }
    keep_report();
  });
  return outcome;
}

/// Each rank's region is one launch of a kernel of its own with key 1; `make(rank)` makes the kernels.
template <typename Make>
RankRuns tune_kernels(
    int ranks, const Make& make, const RankChange& change = [](int, Options&) {}) {
  const RankKernels kernels = kernel_per_rank(ranks, make);
  return run_on_ranks(
      ranks, [&](int rank, int /*run*/) { (*kernels[static_cast<std::size_t>(rank)])(1); }, change);
}

inline int count_failed(const std::vector<std::exception_ptr>& thrown) {
  return static_cast<int>(std::count_if(thrown.begin(), thrown.end(), [](const auto& e) { return e; }));
}

/// Null when the report has no such problem.
inline const ProblemReport* problem_of(const RegionReport& report, const std::string& kernel) {
  const auto found = std::find_if(report.problems.begin(), report.problems.end(),
                                  [&](const ProblemReport& problem) { return problem.kernel == kernel; });
  return found == report.problems.end() ? nullptr : &*found;
}

/// The agreed part of a report as text: choices with reasons, searches, table.
inline std::string agreed_text(const RegionReport& report) {
  std::string text = report.choices_text() + report.table_text();
  for (const ProblemReport& problem : report.problems) {
    text += problem.kernel + " " + problem.key + ": " + problem.reason + "\n";
  }
  for (const SearchReport& search : report.searches) {
    text += "search: " + search.reason + ", " + std::to_string(search.runs) + " runs\n";
  }
  return text;
}

}  // namespace contextual::test
