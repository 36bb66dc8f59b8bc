/// \file
/// Regions on ranks by a clock of the host: launches of one thread that follow each other are chosen by their
/// own time, unless something runs beside them.

#include "unit/tuning/changed_options.hpp"

namespace contextual::test::host_sequence_test {

namespace {

constexpr int ranks = 2;
constexpr std::size_t kernels = 6;
constexpr std::size_t dot = 1;

/// The iteration of a conjugate gradient solver on two ranks, which meet after each launch. Its makespan has
/// a noise of 12 %, which is that of its longest kernel.
struct Solver {
  struct KernelTimes {
    double noise = 0;                ///< half the width of an even distribution
    std::vector<double> configs_us;  ///< the own times
  };
  std::array<KernelTimes, kernels> times{{{0.28, {880, 884, 890, 900}},
                                          {0.02, {51, 33, 24, 17}},
                                          {0.02, {51, 52, 53, 54}},
                                          {0.02, {70, 71, 72, 73}},
                                          {0.02, {70, 71, 72, 73}},
                                          {0.02, {80, 81, 82, 83}}}};
  std::uint64_t seed = 0;
  double between_us = 20;     ///< between the launches, in each iteration
  bool beside = false;        ///< dot is launched on a worker thread, beside the longest kernel
  bool coupled = false;       ///< dot is coupled
  bool refined = false;       ///< the last two configs of dot are refinements
  double late_us = 0;         ///< the second rank is so late with the longest kernel, without a word,
  bool waits_in_dot = false;  ///< and the first one waits for it in dot

  static std::string name(std::size_t kernel) { return "host-sequence-" + std::to_string(kernel); }
  static std::size_t index(std::string_view name) { return static_cast<std::size_t>(name.back() - '0'); }

  double time_us(int rank, std::size_t kernel, std::size_t config, std::int64_t iteration) const {
    std::uint64_t bits = seed << 16U;
    for (const std::uint64_t part :
         {static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(kernel),
          static_cast<std::uint64_t>(config), static_cast<std::uint64_t>(iteration)}) {
      bits = (bits ^ part) * 0x9E3779B97F4A7C15U;  // as in SplitMix64
      bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
      bits ^= bits >> 27U;
    }
    const double even = static_cast<double>(bits >> 11U) / static_cast<double>(1ULL << 53U);
    const KernelTimes& of_kernel = times.at(kernel);
    const double late = kernel == 0 && rank == 1 ? late_us : 0;
    const double wait = waits_in_dot && kernel == dot && rank == 0 ? late_us : 0;
    return of_kernel.configs_us.at(config) * (1 + of_kernel.noise * (2 * even - 1)) + late + wait;
  }

  /// The ranks meet after each launch; where one waits in dot, they meet there.
  double makespan_us(const std::array<std::size_t, kernels>& configs, std::int64_t iteration) const {
    double sum = between_us;
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
      if (beside && kernel == dot) {
        continue;
      }
      const double first = time_us(0, kernel, configs.at(kernel), iteration);
      const double second = time_us(1, kernel, configs.at(kernel), iteration);
      sum += waits_in_dot && kernel == dot ? second : std::max(first, second);
    }
    return sum;
  }
};

std::int64_t ns(double us) {
  return std::llround(us * 1e3);
}

TimerFactory timer_of(const Solver& solver, int rank) {
  auto now_ns = std::make_shared<std::int64_t>(0);
  testing::ScriptedTimes times{.launch_ns = [=](const LaunchInfo& launch) {
    return ns(solver.time_us(rank, Solver::index(launch.kernel), launch.config_id, launch.tuning_iteration));
  }};
  times.launch_begin_ns = [=, launch_ns = times.launch_ns](const LaunchInfo& launch) {
    const std::int64_t begin_ns = *now_ns;
    *now_ns += launch_ns(launch);
    return solver.beside && Solver::index(launch.kernel) == dot ? begin_ns - ns(200) : begin_ns;
  };
  times.makespan_ns = [=](std::int64_t iteration, const std::vector<testing::ScriptedLaunch>& launches) {
    std::array<std::size_t, kernels> configs{};
    for (const testing::ScriptedLaunch& launch : launches) {
      configs.at(Solver::index(launch.kernel)) = launch.config_id;
    }
    return ns(solver.makespan_us(configs, iteration));
  };
  return [factory = testing::scripted_timer_with(std::move(times))] {
    return std::make_unique<HostOnly>(factory());
  };
}

struct Tuned {
  PerRank<RegionReport> reports{ranks};

  std::size_t choice(std::size_t kernel, int rank = 0) const {
    return problem_of(reports.at(static_cast<std::size_t>(rank)), Solver::name(kernel))->choice;
  }
  /// How many problems were chosen in that way.
  std::size_t chosen(ChosenBy how) const {
    std::size_t count = 0;
    for (const SearchReport& search : reports.front().searches) {
      count += static_cast<std::size_t>(std::count(search.chosen_by.begin(), search.chosen_by.end(), how));
    }
    return count;
  }
  ChosenBy chosen_by(std::size_t kernel) const {
    const std::vector<ChosenBy>& how = reports.front().searches.front().chosen_by;
    for (std::size_t problem = 0; problem < how.size(); ++problem) {
      if (reports.front().problems.at(problem).kernel == Solver::name(kernel)) {
        return how[problem];
      }
    }
    return ChosenBy::not_tuned;
  }
};

Tuned tuned(const Solver& solver, int closing_rounds) {
  RankKernels all;  // of all ranks, because a coupling has all objects of its name
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    RankKernel::Options options;
    options.coupling = solver.coupled && kernel == dot ? Solver::name(kernel) : "";
    const bool refined = solver.refined && kernel == dot;
    all.push_back(std::make_unique<RankKernel>(
        Solver::name(kernel), refined ? tiles(2).refine({"TILE", &TileConfig::tile, {3, 4}}) : tiles(4),
        [](const int& key) { return make_key(key); }, [](const TileConfig&, int&) {}, options));
  }
  Tuned result;
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner&, const auto& world) {
    const Options options =
        rank_options(world, {.n_repeat = 5,
                             .search = SearchLevel::normal,
                             .search_settings = {.runs = 100, .closing_rounds = closing_rounds},
                             .timer = timer_of(solver, rank)});
    ContextualAutotuner tuner(options);
    tuner.run("region", [&] {
      for (const std::unique_ptr<RankKernel>& kernel : all) {
        (*kernel)(1);
      }
    });
    result.reports[rank] = tuner.report().runs.back();
  });
  for (const auto& exception : thrown) {
    REQUIRE(text_of(exception) == "");
  }
  CHECK(agreed_text(result.reports[0]) == agreed_text(result.reports[1]));
  return result;
}

}  // namespace

TEST_CASE("host sequence: what follows each other on one thread of each rank is chosen by own time") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Tuned result = tuned({.seed = seed}, 0);
    CAPTURE(seed, result.reports[0].searches.front().reason);
    CHECK(result.chosen(ChosenBy::own_time) == kernels);
    CHECK(result.choice(dot) == 3);
  }
}

TEST_CASE("host sequence: the closing comparison gives up no gain in own time that it cannot see") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Tuned result = tuned({.seed = seed}, 5);
    CAPTURE(seed, result.reports[0].searches.front().reason);
    CHECK(result.choice(dot) == 3);
  }
}

TEST_CASE("host sequence: a launch of another thread at the same time is work beside") {
  const Tuned result = tuned({.beside = true}, 0);
  CHECK(result.chosen_by(0) == ChosenBy::makespan);
  CHECK(result.chosen_by(dot) == ChosenBy::makespan);
}

TEST_CASE("host sequence: time that no launch explains is left alone while no config changes it") {
  const Tuned result = tuned({.between_us = 400}, 0);
  CHECK(result.chosen(ChosenBy::own_time) == kernels);
  CHECK(result.choice(dot) == 3);
}

TEST_CASE("host sequence: a coupled kernel may wait for another rank, so the makespan chooses it") {
  const Tuned result = tuned({.coupled = true}, 0);
  CHECK(result.chosen_by(dot) == ChosenBy::makespan);
  CHECK(result.chosen(ChosenBy::own_time) == kernels - 1);
}

TEST_CASE("host sequence: a problem with refinements keeps the search that visits them") {
  const Tuned result = tuned({.refined = true}, 0);
  CHECK(result.chosen_by(dot) == ChosenBy::makespan);
  CHECK(result.chosen(ChosenBy::own_time) == kernels - 1);
}

TEST_CASE("host sequence: a rank's wait for another one within a launch counts twice, which shows it") {
  CHECK(tuned({.late_us = 300}, 0).chosen(ChosenBy::own_time) == kernels);
  CHECK(tuned({.late_us = 300, .waits_in_dot = true}, 0).chosen(ChosenBy::makespan) == kernels);
}

}  // namespace contextual::test::host_sequence_test
