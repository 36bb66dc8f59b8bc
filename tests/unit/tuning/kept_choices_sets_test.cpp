/// \file
/// Several kept sets of one region: a kernel whose key varies beside one whose key does not.

#include "contextual/storage/choice_store.hpp"
#include "unit/tuning/kept_process.hpp"

#include <span>

namespace contextual::test::kept_test::kept_choices_sets_test {

namespace {

/// A process that runs its region once for each key. In each run `varies` is launched with that key, of which
/// config `key % 4` is the fastest, and `stays` with the same one.
struct Process {
  int ranks = 1;
  fs::path directory{};
  std::vector<int> keys{};
  Mode mode = Mode::tune;
  std::size_t best_of_stays = 1;
  std::optional<std::size_t> best_of_varies{};  ///< else by its key
  bool always = false;
  SearchLevel search = SearchLevel::off;
  std::function<std::string(int)> version_of_varies = [](int) { return ""; };
  Participation participation = Participation::all;
  bool born_in_region = false;  ///< `varies` is made by the first run
};

struct Outcome {
  std::vector<int> runs;                     ///< of rank 0, for each key
  std::vector<std::size_t> varies;           ///< its last config on rank 0, for each key
  std::vector<std::size_t> stays;            ///< likewise
  std::vector<RegionReport> reports;         ///< of rank 0
  std::vector<std::exception_ptr> thrown{};  ///< by rank
  bool alike = true;                         ///< on all ranks

  bool tuned_nothing() const {
    return std::all_of(runs.begin(), runs.end(), [](int count) { return count == 1; });
  }
};

thread_local std::size_t this_rank = 0;

Outcome run(const Process& process) {
  detail::describe_machine("test", [] { return std::string("alike"); });
  const auto ranks = static_cast<std::size_t>(process.ranks);
  PerRank<Outcome> outcomes(ranks);
  PerRank<std::size_t> varies(ranks);
  PerRank<std::size_t> stays(ranks);
  // Ranks are threads: where they do not tune, a kernel is one object for all of them.
  const int objects = process.mode == Mode::tune ? process.ranks : 1;
  const auto make_varies = [&](int rank) {
    return rank_kernel("sets_varies", 4,
                       {.participation = process.participation, .version = process.version_of_varies(rank)},
                       [&varies](const TileConfig& config, int&) {
                         varies[this_rank] = static_cast<std::size_t>(config.tile - 1);
                       });
  };
  RankKernels varying(ranks);
  if (!process.born_in_region) {
    varying = kernel_per_rank(objects, make_varies);
  }
  const RankKernels staying = kernel_per_rank(objects, [&](int) {
    return rank_kernel("sets_stays", 4, {}, [&stays](const TileConfig& config, int&) {
      stays[this_rank] = static_cast<std::size_t>(config.tile - 1);
    });
  });
  auto thrown = on_ranks(process.ranks, [&](int rank, ContextualAutotuner& tuner) {
    const auto at = static_cast<std::size_t>(rank);
    const std::size_t object = objects == 1 ? 0 : at;
    this_rank = at;
    Options options{.mode = process.mode,
                    .search = process.search,
                    .always_tune = process.always,
                    .cache_directory = rank == 0 ? process.directory : fs::path()};
    const std::size_t best_of_stays = process.best_of_stays;
    const std::optional<std::size_t> best_of_varies = process.best_of_varies;
    options.timer = testing::scripted_timer([best_of_stays, best_of_varies](const LaunchInfo& launch) {
      const std::string key = launch.key->to_string();
      const std::size_t by_key = best_of_varies.value_or(static_cast<std::size_t>(key.at(1) - '0') % 4);
      const std::size_t best = key == "(100)" ? best_of_stays : by_key;
      return launch.config_id == best ? std::int64_t{1000} : 5000;
    });
    Outcome& outcome = outcomes[rank];
    for (const int key : process.keys) {
      int runs = 0;
      tuner.run(
          "sets",
          [&] {
            ++runs;
            (*staying[object])(100);
            if (!varying[object]) {
              varying[object] = make_varies(rank);
            }
            (*varying[object])(key);
          },
          options);
      outcome.runs.push_back(runs);
      outcome.varies.push_back(varies[rank]);
      outcome.stays.push_back(stays[rank]);
      outcome.reports.push_back(*tuner.report().runs.rbegin());
    }
  });
  check_well(thrown);
  for (const Outcome& outcome : outcomes) {
    outcomes[0].alike = outcomes[0].alike && outcome.runs == outcomes[0].runs &&
                        outcome.varies == outcomes[0].varies && outcome.stays == outcomes[0].stays;
  }
  outcomes[0].thrown = std::move(thrown);
  return outcomes[0];
}

using Configs = std::vector<std::size_t>;

std::vector<storage::ChoiceSet> kept_in(const fs::path& directory) {
  return storage::ChoiceStore(directory, "sets").read_all().file.sets;
}

}  // namespace

TEST_CASE("kept choices: jobs with different keys in turn tune once each, also under different searches") {
  const auto levels = GENERATE(std::pair(SearchLevel::off, SearchLevel::off),
                               std::pair(SearchLevel::off, SearchLevel::normal));
  for (const int ranks : {1, 2}) {
    const TemporaryDirectory directory;
    for (int start = 0; start < 10; ++start) {
      Process process{.ranks = ranks, .directory = directory.path()};
      process.keys = start % 2 == 0 ? std::vector{2, 6} : std::vector{3};
      process.search = start % 2 == 0 ? levels.first : levels.second;
      const Outcome outcome = run(process);
      INFO("start " << start << " on " << ranks << " ranks");
      CHECK(outcome.tuned_nothing() == (start >= 2));
      CHECK(outcome.alike);
    }
    CHECK(kept_in(directory.path()).size() == 1);
  }
}

TEST_CASE("kept choices: a key that is tuned again leaves the other keys' choices") {
  const TemporaryDirectory directory;
  Process process{.directory = directory.path(), .keys = {2, 3, 5}};
  CHECK(run(process).varies == Configs{2, 3, 1});
  process.keys = {3};
  process.always = true;
  process.best_of_varies = 0;
  CHECK(run(process).varies == Configs{0});
  process.always = false;
  process.keys = {2, 3, 5};
  const Outcome outcome = run(process);
  CHECK(outcome.tuned_nothing());
  CHECK(outcome.varies == Configs{2, 0, 1});
}

TEST_CASE("kept choices: sets that differ about what they share are not mixed") {
  for (const int ranks : {1, 2}) {
    const TemporaryDirectory directory;
    Process process{.ranks = ranks, .directory = directory.path(), .keys = {2}};
    CHECK(run(process).stays == Configs{1});
    process.keys = {3};
    process.best_of_stays = 0;
    process.always = true;
    CHECK(run(process).stays == Configs{0});
    process.always = false;
    process.keys = {3, 2};
    process.mode = Mode::use;
    const Outcome used = run(process);
    CHECK(used.varies[0] == 3);
    CHECK(used.stays == Configs{0, 0});
    REQUIRE(used.reports[0].problems.size() == 2);  // 2 was chosen beside another config of `stays`
    for (const ProblemReport& problem : used.reports[0].problems) {
      CHECK((problem.key == "(3)" || problem.key == "(100)"));
    }
    process.mode = Mode::tune;
    const Outcome tuned = run(process);
    CHECK(tuned.runs[0] == 1);
    CHECK(tuned.runs[1] > 1);
    CHECK(tuned.alike);
    CHECK(run(process).tuned_nothing());
  }
}

TEST_CASE("kept choices: what was reused is kept on with its reason, its times and their spread") {
  for (const int ranks : {1, 2}) {
    const TemporaryDirectory directory;
    Process process{
        .ranks = ranks, .directory = directory.path(), .keys = {2}, .search = SearchLevel::normal};
    REQUIRE(run(process).runs[0] > 1);
    const auto choice_in = [](const storage::ChoiceSet& entry) {
      const auto found =
          std::find_if(entry.choices.begin(), entry.choices.end(),
                       [](const storage::KeptChoice& choice) { return choice.kernel == "sets_stays"; });
      REQUIRE(found != entry.choices.end());
      return *found;
    };
    const storage::ChoiceSet before = kept_in(directory.path()).at(0);
    const storage::KeptChoice first = choice_in(before);
    CHECK(first.time_ns == 1000);
    CHECK(first.time_spread_ns == 0);
    CHECK(before.makespan_ns.has_value() == before.makespan_spread_ns.has_value());
    process.keys = {3};
    REQUIRE(run(process).runs[0] > 1);
    const std::vector<storage::ChoiceSet> entries = kept_in(directory.path());
    storage::KeptChoice reused = choice_in(only(entries));
    CHECK(reused.runs.size() == 2);
    reused.runs = first.runs;
    CHECK(reused == first);
  }
}

TEST_CASE("kept choices: what does not look the same on all ranks is not kept") {
  for (const bool born : {true, false}) {
    const TemporaryDirectory directory;
    Process process{.ranks = 2, .directory = directory.path(), .keys = {2}};
    process.participation = Participation::some;
    process.born_in_region = born;
    process.version_of_varies = [](int rank) { return rank == 0 ? "1" : "2"; };
    CHECK(run(process).runs[0] > 1);
    REQUIRE(kept_in(directory.path()).size() == 1);
    CHECK(only(kept_in(directory.path())[0].choices).kernel == "sets_stays");
    process.version_of_varies = [](int rank) { return rank == 0 ? "2" : "1"; };
    CHECK(run(process).runs[0] > 1);  // no rank's kernel is what it was
    process.version_of_varies = [](int) { return "1"; };
    CHECK(run(process).runs[0] > 1);
    CHECK(run(process).tuned_nothing());
  }
}

TEST_CASE("kept choices: what is infeasible is kept with them, with the reasons") {
  const TemporaryDirectory directory;
  const auto one = rank_kernel("sets_varies", 3, {}, [](const TileConfig& config, int&) {
    throw_if<ConfigRejected>(config.tile == 3, "no memory");
  });
  const auto two = rank_kernel("sets_stays", 2);
  ContextualAutotuner tuner(rank_options(nullptr));
  const Options options{.search = SearchLevel::normal,
                        .cache_directory = directory.path(),
                        .feasible = [](std::span<const AssignedConfig> configs) {
                          return configs[0].config_id != 1 || configs[1].config_id != 1;
                        }};
  tuner.run(
      "sets", [&] { (*one)(1), (*two)(1); }, options);
  const std::vector<storage::ChoiceSet> entries = kept_in(directory.path());
  REQUIRE(entries.size() == 1);
  REQUIRE(entries[0].infeasible.size() == 2);
  CHECK(entries[0].infeasible[0].what == "sets_varies (1) config-2");
  CHECK_THAT(entries[0].infeasible[0].reason, ContainsSubstring("no memory"));
  CHECK(entries[0].infeasible[1].what == "sets_varies (1) config-1, sets_stays (1) config-1");
  CHECK_THAT(entries[0].infeasible[1].reason, ContainsSubstring("feasible"));
}

}  // namespace contextual::test::kept_test::kept_choices_sets_test
