#pragma once

/// \file
/// Regions on simulated ranks. Catch2's assertions are for one thread: bodies write down, tests look after.

#include "support/catch.hpp"

#include <contextual/contextual.hpp>
#include <contextual/testing/scripted_communicator.hpp>
#include <contextual/testing/scripted_timer.hpp>

#include <concepts>
#include <type_traits>

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

/// A T for each rank, found by the rank.
template <typename T>
class PerRank : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  PerRank(std::vector<T> values) : std::vector<T>(std::move(values)) {}

  template <std::integral Rank>
  T& operator[](Rank rank) {
    return std::vector<T>::operator[](static_cast<std::size_t>(rank));
  }
  template <std::integral Rank>
  const T& operator[](Rank rank) const {
    return std::vector<T>::operator[](static_cast<std::size_t>(rank));
  }
};

/// An object of the same name for each rank. A call launches that of the rank.
class RankKernels : public PerRank<std::unique_ptr<RankKernel>> {
 public:
  using PerRank::PerRank;
  void operator()(int rank, int key) const { (*(*this)[rank])(key); }
};

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
  return {.n_warmup = 1,
          .n_repeat = 2,
          .search = SearchLevel::off,
          .log_directory = "",
          .communicator = std::move(communicator),
          .timer = testing::scripted_timer(later_is_faster)};
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

/// One tuner a rank with `rank_options`, given to `body(rank, tuner)` or `body(rank, tuner, communicator)`.
/// Returns what the bodies threw, in rank order.
template <typename Body>
std::vector<std::exception_ptr> on_ranks(int ranks, const Body& body) {
  testing::ScriptedWorld world(ranks);
  return world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(communicator));
    if constexpr (std::is_invocable_v<const Body&, int, ContextualAutotuner&>) {
      body(rank, tuner);
    } else {
      body(rank, tuner, communicator);
    }
  });
}

/// No rank has thrown.
inline void check_well(const std::vector<std::exception_ptr>& thrown) {
  for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
    INFO("rank " << rank << ": " << text_of(thrown[rank]));
    CHECK_FALSE(thrown[rank]);
  }
}

/// Every rank has thrown an E with all of `parts` in its message.
template <typename E>
void check_all_threw(const std::vector<std::exception_ptr>& thrown,
                     const std::vector<std::string>& parts = {}) {
  for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
    INFO("rank " << rank << ": " << text_of(thrown[rank]));
    CHECK(threw<E>(thrown[rank]));
    for (const std::string& part : parts) {
      CHECK_THAT(text_of(thrown[rank]), ContainsSubstring(part));
    }
  }
}

/// What came of a region that each rank has run once, with a tuner of its own: all by rank.
struct RankRuns {
  std::vector<std::exception_ptr> thrown;
  PerRank<RegionReport> reports;  ///< empty where the run ended before it had one
  PerRank<int> runs;              ///< of the region

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
  outcome.thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    Options options;
    change(rank, options);
    const auto keep_report = [&] {
      const Report report = tuner.report();
      outcome.reports[rank] = report.runs.empty() ? RegionReport{} : report.runs.back();
    };
    try {
      tuner.run(
          "region", [&] { region(rank, outcome.runs[rank]++); }, options);
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
      ranks, [&](int rank, int /*run*/) { kernels(rank, 1); }, change);
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
