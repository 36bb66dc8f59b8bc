/// \file
/// Choices that outlive the process, of kernels that differ by rank: `some`, with the rank in the key.

#include "contextual/storage/choice_store.hpp"
#include "unit/tuning/changed_options.hpp"
#include "unit/tuning/kept_process.hpp"

struct CUstream_st;

namespace contextual::test::kept_test::kept_choices_keys_test {

namespace {

thread_local int this_rank = 0;

/// On rank r config r of the kernel, whose key is r, is the fastest; the kernel for all ranks comes beside
/// it.
struct KeyProcess {
  fs::path directory;
  std::string name;
  std::vector<int> launching{0, 1, 2};  ///< the ranks that have such a kernel
  bool beside_a_shared_one = true;
  std::string version_of_1{};
  bool loads_own_keys_only = false;  ///< there is no room for what another rank's key chooses
  std::function<int(int)> configs = [](int) { return 4; };  ///< by rank
  bool born_in_region = false;                              ///< the kernel is made by the first run
};

struct KeySeen {
  PerRank<int> runs = PerRank<int>(3, 0);
  PerRank<int> configs = PerRank<int>(3, -1);
  PerRank<RegionReport> reports = PerRank<RegionReport>(3);

  bool used() const { return runs == std::vector<int>(3, 1); }
  bool tuned() const {
    return std::all_of(runs.begin(), runs.end(), [&](int count) { return count > 4 && count == runs[0]; });
  }
};

KeySeen run(const KeyProcess& process) {
  detail::describe_machine("test", [] { return std::string("alike"); });
  KeySeen seen;
  const auto make_own = [&](int rank) {
    RankKernel::Options options{.participation = Participation::some};
    options.version = rank == 1 ? process.version_of_1 : "";
    if (process.loads_own_keys_only) {
      options.load = [](const TileConfig& config, const Key& key) {
        throw_if<ConfigRejected>(config.tile != 1 && key != make_key(this_rank), "no room for it here");
      };
    }
    return rank_kernel(
        process.name, process.configs(rank), options,
        [&seen, rank](const TileConfig& config, int&) { seen.configs[rank] = config.tile - 1; });
  };
  RankKernels own(3);
  if (!process.born_in_region) {
    own = kernel_per_rank(3, make_own);
  }
  const RankKernels shared =
      kernel_per_rank(3, [&](int) { return rank_kernel(process.name + "_shared", 3); });
  check_well(on_ranks(3, [&](int rank, ContextualAutotuner& tuner) {
    this_rank = rank;
    const Options options{.cache_directory = rank == 0 ? process.directory : fs::path(),
                          .timer = testing::scripted_timer([rank](const LaunchInfo& launch) {
                            return launch.config_id == static_cast<std::size_t>(rank) ? std::int64_t{1000}
                                                                                      : 5000;
                          })};
    const bool launches = std::count(process.launching.begin(), process.launching.end(), rank) > 0;
    tuner.run(
        process.name,
        [&] {
          ++seen.runs[rank];
          if (launches) {
            own[rank] = own[rank] ? std::move(own[rank]) : make_own(rank);
            own(rank, rank);
          }
          if (process.beside_a_shared_one) {
            shared(rank, 1);
          }
        },
        options);
    seen.reports[rank] = *tuner.report().runs.rbegin();
  }));
  return seen;
}

}  // namespace

TEST_CASE("kept choices: each rank begins with its own of a kernel that has the rank in its key") {
  for (const bool beside : {true, false}) {
    const TemporaryDirectory directory;
    const KeyProcess process{
        .directory = directory.path(), .name = "kept_keys", .beside_a_shared_one = beside};
    const KeySeen first = run(process);
    CHECK(first.tuned());
    CHECK(first.configs == std::vector<int>{0, 1, 2});
    const KeySeen again = run(process);
    CHECK(again.used());
    CHECK(again.configs == std::vector<int>{0, 1, 2});
    for (const RegionReport& report : again.reports) {
      CHECK(report.problems.size() == (beside ? 4 : 3));
      CHECK(report.choices_text() == again.reports[0].choices_text());
      for (const ProblemReport& problem : report.problems) {
        CHECK(problem.reused);
      }
    }
    const auto kept = storage::ChoiceStore(directory.path(), "kept_keys").read_all();
    CHECK(only(kept.file.sets).choices.size() == (beside ? 4 : 3));
  }
}

TEST_CASE("kept choices: a rank does not load what another rank's key chooses") {
  const TemporaryDirectory directory;
  const KeyProcess process{
      .directory = directory.path(), .name = "kept_keys_loaded", .loads_own_keys_only = true};
  CHECK(run(process).tuned());
  const KeySeen again = run(process);
  CHECK(again.used());
  CHECK(again.configs == std::vector<int>{0, 1, 2});
}

TEST_CASE("kept choices: a key that only one rank has is installed there, and all run once") {
  for (const int rank : {0, 2}) {
    const TemporaryDirectory directory;
    const KeyProcess process{.directory = directory.path(),
                             .name = "kept_key_of" + std::to_string(rank),
                             .launching = {rank},
                             .beside_a_shared_one = false};
    CHECK(run(process).tuned());
    const KeySeen again = run(process);
    CHECK(again.used());
    for (int other = 0; other < 3; ++other) {
      CHECK(again.configs[other] == (other == rank ? rank : -1));
    }
  }
}

TEST_CASE("kept choices: a kernel under its own key that one rank has changed makes all tune") {
  const TemporaryDirectory directory;
  KeyProcess process{.directory = directory.path(), .name = "kept_keys_changed"};
  CHECK(run(process).tuned());
  process.version_of_1 = "2";
  CHECK(run(process).tuned());
  process.version_of_1.clear();
  CHECK(run(process).used());
}

TEST_CASE("kept choices: what one rank's key alone has tuned anew is kept with the rest") {
  const TemporaryDirectory directory;
  KeyProcess process{.directory = directory.path(), .name = "kept_keys_more", .launching = {0, 1}};
  CHECK(run(process).tuned());
  process.launching = {0, 1, 2};
  CHECK(run(process).configs == std::vector<int>{0, 1, 2});
  const KeySeen again = run(process);
  CHECK(again.used());
  CHECK(again.configs == std::vector<int>{0, 1, 2});
}

TEST_CASE("kept choices: a kernel with another config space under each rank's key is kept") {
  const TemporaryDirectory directory;
  const KeyProcess process{.directory = directory.path(),
                           .name = "kept_keys_spaces",
                           .configs = [](int rank) { return 3 + rank; },
                           .born_in_region = true};
  CHECK(run(process).tuned());
  const KeySeen again = run(process);
  CHECK(again.used());
  CHECK(again.configs == std::vector<int>{0, 1, 2});
}

TEST_CASE("kept choices: the host's clock measures no stream, also under a key that rank 0 has not") {
  for (const bool of_devices : {true, false}) {
    const TemporaryDirectory directory;
    const std::string name = of_devices ? "kept_keys_devices" : "kept_keys_host";
    using OnStream = TunableKernel<void(const TileConfig&, CUstream_st*, int)>;
    OnStream kernel(
        name, tiles(3), [](CUstream_st* const&, const int& rank) { return make_key(rank); },
        [](const TileConfig&, CUstream_st*, int) {}, {.participation = Participation::some});
    check_well(in_process(2, directory.path(), [&](int rank, ContextualAutotuner& tuner, Options options) {
      options.timer = [of_devices]() -> std::unique_ptr<Timer> {
        auto timer = testing::scripted_timer(later_is_faster)();
        return of_devices ? std::move(timer) : std::make_unique<HostOnly>(std::move(timer));
      };
      tuner.run(
          name, [&] { kernel(nullptr, rank); }, options);
    }));
    const auto kept = storage::ChoiceStore(directory.path(), name).read_all();
    const std::size_t count = kept.file.sets.empty() ? 0 : kept.file.sets[0].choices.size();
    CHECK(count == (of_devices ? 2 : 0));
  }
}

}  // namespace contextual::test::kept_test::kept_choices_keys_test
