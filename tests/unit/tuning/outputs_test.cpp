#include "support/stderr_capture.hpp"
#include "unit/tuning/changed_options.hpp"

#include <limits>
#include <span>

namespace contextual::test::outputs_test {

namespace {

constexpr int repetitions = 100;
constexpr std::size_t elements = 24;
constexpr int ranks_most = 2;
constexpr std::size_t planted = 3;  ///< the config that is wrong, and the fastest one

/// What is wrong with the planted config.
enum class Plant {
  writes_half,
  writes_elsewhere,
  right_only_beside_a_slow_neighbour,
  wrong_on_one_rank,
  off_by_twice_the_tolerance,
  leaves_the_last_element,
};

std::string name_of(Plant plant) {
  switch (plant) {
    case Plant::writes_half:
      return "writes half";
    case Plant::writes_elsewhere:
      return "writes elsewhere";
    case Plant::right_only_beside_a_slow_neighbour:
      return "right only beside a slow neighbour";
    case Plant::wrong_on_one_rank:
      return "wrong on one rank";
    case Plant::off_by_twice_the_tolerance:
      return "off by twice the tolerance";
    case Plant::leaves_the_last_element:
      break;
  }
  return "leaves the last element";
}

constexpr double tolerance = 1e-3;

struct RankData {
  std::array<float, elements> out{};
  std::array<float, elements> elsewhere{};
  int neighbour = 1;  ///< its tile in this run
};

float right_value(std::size_t i) {
  return 1.0F + static_cast<float>(i);
}

/// What the writer of a rank does with a config.
void write(Plant plant, int rank, int ranks, std::size_t config, RankData& data) {
  const bool here = config == planted && (plant != Plant::wrong_on_one_rank || rank == ranks - 1) &&
                    (plant != Plant::right_only_beside_a_slow_neighbour || data.neighbour != 1);
  auto& out = here && plant == Plant::writes_elsewhere ? data.elsewhere : data.out;
  std::size_t count = elements;
  if (here && plant == Plant::writes_half) {
    count = elements / 2;
  } else if (here && plant == Plant::leaves_the_last_element) {
    count = elements - 1;
  }
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = right_value(i);
  }
  if (here && (plant == Plant::wrong_on_one_rank || plant == Plant::right_only_beside_a_slow_neighbour)) {
    out[elements / 3] += 0.5F;
  }
  if (here && plant == Plant::off_by_twice_the_tolerance) {
    out[7] *= static_cast<float>(1 + 2 * tolerance);
  } else if (config == 2) {
    out[7] *= static_cast<float>(1 + tolerance / 2);  // a right one: it is within the tolerance
  }
}

/// Later configs are faster, by how much depends on the seed.
TimerFactory times_of(unsigned seed) {
  return testing::scripted_timer([seed](const LaunchInfo& launch) {
    const auto step = static_cast<std::int64_t>(4000 + 370 * (seed % 29));
    return 100'000 - step * static_cast<std::int64_t>(launch.config_id);
  });
}

struct Tuned {
  RankRuns runs;
  PerRank<RankData> data = std::vector<RankData>(ranks_most);
};

enum class Told { of_outputs, of_nothing };

Tuned tune(Plant plant, int ranks, unsigned seed, Told told = Told::of_outputs) {
  Tuned tuned;
  const RankKernels writers = kernel_per_rank(ranks, [&](int rank) {
    return rank_kernel("writer", 4, {}, [&tuned, plant, rank, ranks](const TileConfig& c, int&) {
      write(plant, rank, ranks, static_cast<std::size_t>(c.tile - 1), tuned.data[rank]);
    });
  });
  const RankKernels neighbours = kernel_per_rank(ranks, [&](int rank) {
    return rank_kernel("neighbour", 3, {},
                       [&tuned, rank](const TileConfig& c, int&) { tuned.data[rank].neighbour = c.tile; });
  });
  tuned.runs = run_on_ranks(
      ranks,
      [&](int rank, int) {
        neighbours(rank, 1);
        writers(rank, 1);
      },
      [&](int rank, Options& options) {
        options.search = seed % 3 == 0   ? SearchLevel::off
                         : seed % 3 == 1 ? SearchLevel::quick
                                         : SearchLevel::normal;
        options.search_settings.runs = 60;
        options.n_warmup = 1 + static_cast<int>(seed % 2);
        options.timer = times_of(seed);
        Output out = output("out", std::span(tuned.data[rank].out));
        out.relative = tolerance;
        out.absolute = 0;
        options.outputs = told == Told::of_outputs ? std::vector{out} : std::vector<Output>();
      });
  return tuned;
}

bool is_right(const RankData& data) {
  for (std::size_t i = 0; i < elements; ++i) {
    if (!(std::abs(data.out[i] - right_value(i)) <= tolerance * right_value(i))) {
      return false;
    }
  }
  return true;
}

/// Returns what is wrong with the outcome of a tuning; empty if nothing is.
std::string complaint(const Tuned& tuned, Plant plant, int ranks) {
  for (const std::exception_ptr& thrown : tuned.runs.thrown) {
    if (thrown) {
      return "threw: " + text_of(thrown);
    }
  }
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    const ProblemReport* const writer = problem_of(tuned.runs.reports[rank], "writer");
    const ProblemReport* const neighbour = problem_of(tuned.runs.reports[rank], "neighbour");
    const bool in_combination = plant == Plant::right_only_beside_a_slow_neighbour;
    if (writer->choice == planted && (!in_combination || neighbour->choice != 0)) {
      return "chose what is wrong on rank " + std::to_string(rank);
    }
    if (!in_combination && writer->choice != 2) {
      return "did not choose the fastest one that is right, but " + std::to_string(writer->choice) + ": " +
             writer->reason;
    }
    if (!is_right(tuned.data[rank])) {
      return "left a wrong result on rank " + std::to_string(rank);
    }
  }
  return "";
}

void check_planted(Plant plant) {
  constexpr unsigned any_seed = 4;  // of SearchLevel::quick
  const Tuned untold = tune(plant, ranks_most, any_seed, Told::of_nothing);
  CHECK(problem_of(untold.runs.reports[0], "writer")->choice == planted);  // it is what would win
  for (int ranks = plant == Plant::wrong_on_one_rank ? 2 : 1; ranks <= ranks_most; ++ranks) {
    for (unsigned seed = 0; seed < repetitions; ++seed) {
      const std::string found = complaint(tune(plant, ranks, seed), plant, ranks);
      if (!found.empty()) {
        FAIL_CHECK(name_of(plant) << ", " << ranks << " ranks, seed " << seed << ": " << found);
        return;
      }
    }
  }
}

}  // namespace

TEST_CASE("holds 22: a config that writes half of an output is never chosen") {
  check_planted(Plant::writes_half);
}

TEST_CASE("holds 22: a config that writes elsewhere is never chosen") {
  check_planted(Plant::writes_elsewhere);
}

TEST_CASE("holds 22: what is right only beside a slow neighbour is never chosen beside another") {
  check_planted(Plant::right_only_beside_a_slow_neighbour);
}

TEST_CASE("holds 22: a config that is wrong on one rank is chosen on none") {
  check_planted(Plant::wrong_on_one_rank);
}

TEST_CASE("holds 22: a config that is off by twice the tolerance is never chosen") {
  check_planted(Plant::off_by_twice_the_tolerance);
}

TEST_CASE("holds 22: a config that leaves the last element is never chosen") {
  check_planted(Plant::leaves_the_last_element);
}

namespace {

/// Tunes a region of one kernel of `configs` configs, each faster than the one before it, that does this.
RegionReport tune_one(const std::string& name, int configs, const Options& options,
                      const std::function<void(int config)>& launch) {
  const auto kernel = rank_kernel(name, configs, {}, [&](const TileConfig& c, int&) { launch(c.tile - 1); });
  Options all = rank_options(one_rank());
  ContextualAutotuner tuner(all);
  tuner.run(
      name, [&] { (*kernel)(1); }, options);
  return tuner.report().runs.back();
}

bool warns(const RegionReport& report, const std::string& part) {
  return count_with(report.warnings, part) > 0;
}

int rejected_count(const RegionReport& report) {
  int count = 0;
  for (const ProblemReport& problem : report.problems) {
    for (const ConfigReport& config : problem.configs) {
      count += config.rejection ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("outputs: the reason names the output, the first place, both values and the largest error") {
  std::array<double, 8> out{};
  const RegionReport report =
      tune_one("reasons", 3, {.outputs = std::vector{output("sums", std::span(out))}}, [&](int config) {
        out.fill(2);
        if (config == 2) {
          out[3] = 2.5;
          out[5] = 1;
        }
      });
  CHECK(problem_of(report, "reasons")->choice == 1);
  CHECK(problem_of(report, "reasons")->configs[2].rejection ==
        "output \"sums\": element 3 is 2.5 instead of 2; 2 of 8 elements differ, the largest error is 1");
  CHECK(out == std::array<double, 8>{2, 2, 2, 2, 2, 2, 2, 2});
}

TEST_CASE(
    "outputs: sums that are added up in another order are right, and NaN is what NaN is expected to be") {
  std::array<float, 4> out{};
  const RegionReport report =
      tune_one("orders", 4, {.outputs = std::vector{output("out", std::span(out))}}, [&](int config) {
        float sum = 0;
        for (int i = 0; i < 1000; ++i) {
          const int term = (i * std::array{1, 3, 7, 9}.at(static_cast<std::size_t>(config))) % 1000;
          sum += std::sin(static_cast<float>(term));
        }
        out = {sum, -sum, std::numeric_limits<float>::quiet_NaN(), 1000};
      });
  CHECK(problem_of(report, "orders")->choice == 3);
  CHECK(rejected_count(report) == 0);
}

TEST_CASE("outputs: what is changed in place is right where `restore` puts it back, and is changed once") {
  std::vector<int> data(16, 21);
  int runs = 0;
  const Options options{.outputs = std::vector{output("data", data)},
                        .restore = std::vector{restored("data", data)},
                        .before_iteration = [&](const IterationInfo&) { CHECK(data[0] == 21); }};
  const RegionReport report = tune_one("in_place", 4, options, [&](int config) {
    ++runs;
    const std::size_t end = config == 3 ? data.size() - 1 : data.size();  // it leaves the last element
    for (std::size_t i = 0; i < end; ++i) {
      data[i] *= 2;
    }
  });
  CHECK(problem_of(report, "in_place")->choice == 2);
  CHECK(rejected_count(report) == 1);
  CHECK(runs > 4);
  CHECK(std::all_of(data.begin(), data.end(), [](int value) { return value == 42; }));
  CHECK(warns(report, "`restore` copies 0.0 MiB back before each run"));
  CHECK(!warns(report, "repeat"));
}

TEST_CASE("outputs: a region that adds to what it writes is said not to repeat its results") {
  int whole = 0;
  const RegionReport report =
      tune_one("adds", 2, {.outputs = std::vector{output("whole", &whole, 1)}}, [&](int) { whole += 1; });
  CHECK(warns(report, "region \"adds\" does not repeat its results"));
  CHECK(warns(report, "Options::restore"));
  float number = 0;
  const RegionReport of_float = tune_one(
      "adds_float", 2, {.outputs = std::vector{output("number", &number, 1)}}, [&](int) { number += 1; });
  CHECK(warns(of_float, "region \"adds_float\", output \"number\": 1 of 1 elements are NaN"));
}

TEST_CASE("outputs: that a region does not repeat them is seen on stderr, whatever is printed") {
  for (const Print print : {Print::nothing, Print::long_tunings}) {
    int whole = 0;
    const StderrCapture said;
    tune_one("adds aloud " + std::to_string(static_cast<int>(print)), 2,
             {.print = print, .outputs = std::vector{output("whole", &whole, 1)}}, [&](int) { whole += 1; });
    CHECK_THAT(said.text(), ContainsSubstring("does not repeat its results"));
  }
}

TEST_CASE("outputs: choices of a region that does not repeat its results on some rank are not kept") {
  const auto is_kept = [](bool repeats) {
    const TemporaryDirectory cache;
    std::array<int, 2> whole{};
    const auto run = tune_kernels(
        2,
        [&](int rank) {
          return rank_kernel("repeats", 3, {}, [&whole, rank, repeats](const TileConfig&, int&) {
            int& own = whole[static_cast<std::size_t>(rank)];
            own = repeats || rank == 0 ? 1 : own + 1;
          });
        },
        [&](int rank, Options& options) {
          options.cache_directory = cache.path();
          options.outputs = std::vector{output("whole", &whole[static_cast<std::size_t>(rank)], 1)};
        });
    CHECK(run.well());
    return std::filesystem::exists(cache.path() / "choices");
  };
  CHECK_FALSE(is_kept(false));
  CHECK(is_kept(true));
}

TEST_CASE("outputs: a KernelTuner keeps no config where the results are not repeated") {
  for (const bool repeats : {false, true}) {
    const TemporaryDirectory cache;
    int whole = 0;
    KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 2, .cache_directory = cache.path()};
    options.tuning = rank_options(one_rank());
    options.tuning.outputs = std::vector{output("whole", &whole, 1)};
    KernelTuner tuner(
        "tuner_repeats", tiles(3), [&](const TileConfig&, int) { whole = repeats ? 1 : whole + 1; }, options);
    static_cast<void>(tuner.tune({}, 1));
    CHECK(tuner.cache().get(tuner.completed({})).has_value() == repeats);
  }
}

TEST_CASE("outputs: what is wrong in the final run only is replaced, and the region runs again") {
  bool final_run = false;
  int final_runs = 0;
  std::array<int, 4> out{};
  const Options options{.search = SearchLevel::normal,
                        .outputs = std::vector{output("out", std::span(out))},
                        .before_iteration = [&](const IterationInfo& info) {
                          final_run = info.phase == Phase::final_run;
                          final_runs += final_run ? 1 : 0;
                        }};
  const RegionReport report =
      tune_one("late", 4, options, [&](int config) { out.fill(final_run && config == 3 ? 6 : 7); });
  CHECK(final_runs == 2);
  CHECK(problem_of(report, "late")->choice == 2);
  CHECK(out[0] == 7);
  CHECK(warns(report, "the final run was wrong: output \"out\": element 0 is 6 instead of 7"));
  CHECK_FALSE(report.tuned_makespan.has_value());  // it was that of config 3
  CHECK(problem_of(report, "late")->time_in_choice.count == 0);
  CHECK_THAT(report.to_string(), ContainsSubstring("the final run rejected what the search chose"));
}

TEST_CASE("outputs: where every final run is wrong, what ran first is used at last") {
  bool final_run = false;
  int final_runs = 0;
  std::array<int, 4> out{};
  const Options options{.outputs = std::vector{output("out", std::span(out))},
                        .before_iteration = [&](const IterationInfo& info) {
                          final_run = info.phase == Phase::final_run;
                          final_runs += final_run ? 1 : 0;
                        }};
  const RegionReport report =
      tune_one("never_right", 8, options, [&](int config) { out.fill(final_run && config > 0 ? 6 : 7); });
  CHECK(final_runs == 4);
  CHECK(problem_of(report, "never_right")->choice == 0);
  CHECK(out[0] == 7);
}

TEST_CASE("outputs: a run with nothing to tune fills and restores nothing") {
  std::array<float, 4> out{};
  int state = 0;
  const auto kernel = rank_kernel("plain_outputs", 2, {}, [&](const TileConfig&, int&) { out.fill(1); });
  ContextualAutotuner tuner(rank_options(one_rank()));
  const Options options{.outputs = std::vector{output("out", std::span(out))},
                        .restore = std::vector{restored("state", &state, 1)}};
  const auto region = [&] { (*kernel)(1), ++state; };
  tuner.run("plain outputs", region, options);
  CHECK(state == 1);
  tuner.run("plain outputs", region, options);
  tuner.run("plain outputs", region, options);
  CHECK(state == 3);
  std::array<float, 4> seen{};
  tuner.run(
      "plain outputs",
      [&] {
        seen = out;
        (*kernel)(1);
      },
      options);
  CHECK(seen[0] == 1);
}

TEST_CASE("outputs: with `restore`, a call that meets a new key takes one step, too") {
  int state = 0;
  int key = 1;
  const auto kernel = rank_kernel("stepped", 3);
  ContextualAutotuner tuner(rank_options(one_rank()));
  const Options options{.restore = std::vector{restored("state", &state, 1)}};
  const auto region = [&] { (*kernel)(key), ++state; };
  tuner.run("stepped", region, options);
  CHECK(state == 1);
  key = 2;
  tuner.run("stepped", region, options);
  CHECK(state == 2);
  CHECK(tuner.report().runs.back().problems.front().choice == 2);
  auto step = make_tuned_region(tuner, "stepped later", region, options);
  step();
  key = 3;
  step();
  CHECK(state == 4);
  const std::size_t runs = tuner.report().runs.size();
  step();  // what the call before has met is tuned now
  CHECK(state == 5);
  CHECK(tuner.report().runs.size() == runs + 1);
  step();
  CHECK(state == 6);
  CHECK(tuner.report().runs.size() == runs + 1);
}

TEST_CASE("outputs: `restore` leaves one application after parts and after a revalidation") {
  int state = 5;
  const auto kernel = rank_kernel("restored_parts", 3);
  const auto region = [&] {
    (*kernel)(1);
    state *= 3;
  };
  const Options options =
      rank_options(one_rank(), {.restore = std::vector{restored("state", &state, 1)},
                                .parts = std::vector<RegionPart>{{"part", [&] { state = -1; }}}});
  tuned(options, "restored parts", region);
  CHECK(state == 15);
}

TEST_CASE("outputs: of an object, they are filled only in regions that launch its kernels") {
  std::array<float, 4> out{1, 1, 1, 1};
  const auto own =
      rank_kernel("of_object", 3, {}, [&](const TileConfig& c, int&) { out.fill(c.tile == 3 ? 4 : 3); });
  const auto other = rank_kernel("of_nobody", 3);
  const RegisteredChecks checks({"of_object"}, {.outputs = {output("out", std::span(out))}});
  ContextualAutotuner tuner(rank_options(one_rank()));
  tuner.run("without the object", [&] { (*other)(1); });
  CHECK(out[0] == 1);
  tuner.run("with the object", [&] { (*own)(1); });
  const RegionReport report = tuner.report().runs.back();
  CHECK(problem_of(report, "of_object")->choice == 1);
  CHECK_THAT(problem_of(report, "of_object")->configs[2].rejection.value_or(""),
             ContainsSubstring("output \"out\": element 0 is 4 instead of 3"));
  CHECK(out[0] == 3);
}

TEST_CASE("outputs: of a tuned function, by the arguments of the call") {
  struct Fill {
    int value = 0;
  };
  auto fill = autotune(
      "fill_outputs", {{"VALUE", &Fill::value, {0, 1, 2}}}, [](float*, int n) { return make_key(n); },
      [](const Fill& fill, float* to, int n) {
        for (int i = 0; i < (fill.value == 2 ? n / 2 : n); ++i) {
          to[i] = 1;
        }
      },
      {.outputs = [](float* to, int n) { return std::vector{output("to", to, static_cast<std::size_t>(n))}; },
       .options = rank_options(one_rank())});
  std::array<float, 6> to{};
  fill(to.data(), 6);
  CHECK(to == std::array<float, 6>{1, 1, 1, 1, 1, 1});
  const Report report = fill.report();
  CHECK(problem_of(report.runs.back(), "fill_outputs")->choice == 1);
}

TEST_CASE("outputs: what a tuned function adds to is restored after it was filled, in calls that tune") {
  struct Add {
    int value = 0;
  };
  auto add = autotune("add_outputs", {{"VALUE", &Add::value, {0, 1, 2}}}, single_problem,
                      [](const Add& add, int& sum) { sum += add.value == 2 ? 2 : 1; },
                      {.outputs = [](int& sum) { return std::vector{output("sum", &sum, 1)}; },
                       .restore = [](int& sum) { return std::vector{restored("sum", &sum, 1)}; },
                       .options = rank_options(one_rank())});
  int sum = 10;
  add(sum);
  CHECK(sum == 11);
  const Report report = add.report();
  CHECK(problem_of(report.runs.back(), "add_outputs")->choice == 1);
  CHECK(!warns(report.runs.back(), "does not repeat"));
  add(sum);
  CHECK(sum == 12);
}

TEST_CASE("outputs: of a KernelTuner, by its options") {
  std::array<float, 6> to{};
  KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 2, .cache_directory = ""};
  options.tuning = rank_options(one_rank());
  options.tuning.outputs = std::vector{output("to", std::span(to))};
  KernelTuner tuner(
      "tuner_outputs", tiles(3), [&](const TileConfig& c, int) { to.fill(c.tile == 3 ? 2 : 1); }, options);
  const TuningResult result = tuner.tune({}, 1);
  CHECK(result.best_config_id == 1);
  CHECK(to[0] == 1);
}

TEST_CASE("outputs: ranks must give the same ones, which may be of other sizes") {
  std::array<std::array<float, 4>, 2> out{};
  const auto tuned = [&](const std::string& name_on_rank_1) {
    return tune_kernels(
        2,
        [&](int rank) {
          return rank_kernel("sized", 2, {}, [&out, rank](const TileConfig&, int&) {
            out[static_cast<std::size_t>(rank)].fill(1);
          });
        },
        [&](int rank, Options& options) {
          options.outputs = std::vector{output(rank == 1 ? name_on_rank_1 : "out",
                                               out[static_cast<std::size_t>(rank)].data(),
                                               rank == 1 ? std::size_t{0} : std::size_t{4})};
        });
  };
  CHECK(tuned("out").well());
  CHECK_THAT(text_of(tuned("other").thrown[0]), ContainsSubstring("outputs="));
}

}  // namespace contextual::test::outputs_test
