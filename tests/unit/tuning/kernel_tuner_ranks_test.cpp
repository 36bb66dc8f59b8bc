#include "support/child_process.hpp"
#include "support/ranks.hpp"
#include "support/stderr_capture.hpp"

#include <contextual/detail/storage/machine.hpp>

namespace contextual::test::kernel_tuner_ranks_test {

namespace {

/// Two kinds of tile, depth, stages and warps: 32 configs.
ConfigSpace<Config> gemm_space() {
  return {{"BLOCK_M", {64, 128}},
          {"BLOCK_N", {64, 128}},
          {"BLOCK_K", {32, 64}},
          {"STAGES", {2, 3}},
          {"WARPS", {4, 8}}};
}

/// Of the pieces of A and B in half precision that are loaded ahead.
int shared_bytes(const Config& config) {
  return config.get<int>("STAGES") * config.get<int>("BLOCK_K") *
         (config.get<int>("BLOCK_M") + config.get<int>("BLOCK_N")) * 2;
}

constexpr int shared_limit = 48 * 1024;

/// Larger tiles with more stages are faster; each rank has other times.
std::int64_t gemm_time(const LaunchInfo& launch, int rank) {
  const ConfigSpace<Config> space = gemm_space();
  return 1'000'000 - shared_bytes(space[launch.config_id]) + 100 * rank;
}

using GemmTuner = KernelTuner<void(const Config&, int)>;

/// What the ranks of a group have seen.
struct Seen {
  explicit Seen(int ranks)
      : results(static_cast<std::size_t>(ranks)), launches(static_cast<std::size_t>(ranks)) {}
  PerRank<TuningResult> results;
  PerRank<int> launches;
  std::vector<std::exception_ptr> thrown;
};

struct Group {
  int ranks = 2;
  std::function<std::filesystem::path(int)> directory = [](int) { return ""; };
  std::function<std::int64_t(int)> size = [](int) { return 4096; };
  std::function<ConfigSpace<Config>(int)> space = [](int) { return gemm_space(); };
  Participation participation = Participation::all;
  std::optional<std::int64_t> rank_1_drops{};  ///< the collective at which it does not arrive
  std::function<bool(int, const Config&)> keep{};
  std::function<void(int, Options&)> change = [](int, Options&) {};
};

/// Every rank of a group tunes the GEMM with a tuner of its own.
Seen tune(const Group& group) {
  Seen seen(group.ranks);
  PerRank<std::unique_ptr<GemmTuner>> tuners(static_cast<std::size_t>(group.ranks));
  testing::ScriptedWorld world(group.ranks);
  if (group.rank_1_drops) {
    world.drop(1, *group.rank_1_drops);
  }
  seen.thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 2};
    options.cache_directory = group.directory(rank);
    options.tuning.log_directory = "";
    options.tuning.communicator = communicator;
    options.tuning.deadline = std::chrono::milliseconds(group.rank_1_drops ? 200 : 20'000);
    options.tuning.timer =
        testing::scripted_timer([rank](const LaunchInfo& launch) { return gemm_time(launch, rank); });
    group.change(rank, options.tuning);
    GemmTuner::OptionsOfKernel of_kernel{.participation = group.participation};
    if (group.keep) {
      of_kernel.keep = [&group, rank](const Config& config, const int&) { return group.keep(rank, config); };
    }
    tuners[rank] = std::make_unique<GemmTuner>(
        "kernel_tuner gemm", group.space(rank),
        [&seen, rank](const Config& config, int) {
          ++seen.launches[rank];
          throw_if<ConfigRejected>(shared_bytes(config) > shared_limit,
                                   "needs " + std::to_string(shared_bytes(config)) + " bytes");
        },
        options, std::move(of_kernel));
    seen.results[rank] = tuners[rank]->tune({.problem_size = {group.size(rank)}}, 1);
  });
  return seen;
}

}  // namespace

TEST_CASE("KernelTuner: of 32 GEMM configs on a group, all ranks choose the best that has 48 KiB") {
  ConfigSpace<Config> filtered = gemm_space();
  REQUIRE(filtered.size() == 32);
  filtered.constraint("shared memory",
                      [](const Config& config) { return shared_bytes(config) <= shared_limit; });
  CHECK(filtered.size() == 24);

  const Seen seen = tune({.ranks = 2});
  REQUIRE(count_failed(seen.thrown) == 0);
  const TuningResult& first = seen.results[0];
  CHECK(seen.results[1].best_config == first.best_config);
  CHECK(shared_bytes(first.best_config) == shared_limit);
  REQUIRE(first.all_results.size() == 32);
  for (const TuningResult& result : seen.results) {
    for (const ConfigReport& config : result.all_results) {
      const int bytes = shared_bytes(config.config);
      CHECK(config.rejection.has_value() == (bytes > shared_limit));
      if (config.rejection) {
        CHECK_THAT(*config.rejection, ContainsSubstring("needs " + std::to_string(bytes) + " bytes"));
      } else {
        CHECK(config.time.centre_ns == 1'000'000 - bytes + 100);  // of the slower rank
      }
    }
  }
}

TEST_CASE("KernelTuner: rank 0's cache decides for all ranks, whatever is in the others'") {
  const TemporaryDirectory own;
  const TemporaryDirectory other;
  const auto directories = [&](int rank) { return rank == 0 ? own.path() : other.path(); };
  const Seen tuned = tune({.directory = directories});
  REQUIRE(count_failed(tuned.thrown) == 0);
  CHECK_FALSE(std::filesystem::exists(other.path() / "choices"));

  const Seen cached = tune({.directory = directories});
  REQUIRE(count_failed(cached.thrown) == 0);
  for (const TuningResult& result : cached.results) {
    CHECK(result.from_cache);
    CHECK(result.best_config == tuned.results[0].best_config);
    CHECK(result.metrics.latency == tuned.results[0].metrics.latency);
  }
  CHECK(cached.launches == std::vector<int>{0, 0});

  const Seen swapped = tune({.directory = [&](int rank) { return directories(1 - rank); }});
  REQUIRE(count_failed(swapped.thrown) == 0);
  for (const TuningResult& result : swapped.results) {
    CHECK_FALSE(result.from_cache);
  }
}

TEST_CASE("KernelTuner: what two ranks have chosen does not count for one or three") {
  const TemporaryDirectory directory;
  const auto shared = [&](int /*rank*/) { return directory.path(); };
  REQUIRE(count_failed(tune({.ranks = 2, .directory = shared}).thrown) == 0);
  for (const int ranks : {1, 3}) {
    const Seen seen = tune({.ranks = ranks, .directory = shared});
    REQUIRE(count_failed(seen.thrown) == 0);
    CHECK_FALSE(seen.results[0].from_cache);
  }
  CHECK(tune({.ranks = 2, .directory = shared}).results[1].from_cache);
}

TEST_CASE("KernelTuner: ranks with other requests or configs, all of them throw and name both") {
  const Seen sizes = tune({.ranks = 3, .size = [](int rank) { return rank == 2 ? 8 : 4096; }});
  CHECK(count_failed(sizes.thrown) == 3);
  check_all_threw<RankMismatchError>(sizes.thrown,
                                     {"rank 2 has region=\"kernel_tuner gemm\": kernel_tuner gemm (8)",
                                      "rank 0 has region=\"kernel_tuner gemm\": kernel_tuner gemm (4096)"});
  const Seen spaces = tune({.space = [](int rank) {
    return rank == 0 ? gemm_space() : gemm_space().default_config(gemm_space()[1]);
  }});
  CHECK(count_failed(spaces.thrown) == 2);
  check_all_threw<RankMismatchError>(spaces.thrown);
  CHECK(spaces.launches == std::vector<int>{0, 0});
}

TEST_CASE("KernelTuner: a rank with a bad space or option throws that, and the others name it at once") {
  const Seen spaces = tune({.ranks = 3, .space = [](int rank) {
                              return gemm_space().constraint("rank 1 has no room",
                                                             [rank](const Config&) { return rank != 1; });
                            }});
  CHECK(threw<ConfigSpaceError>(spaces.thrown[1]));
  const Seen deadlines = tune({.ranks = 3, .change = [](int rank, Options& options) {
                                 options.deadline = std::chrono::milliseconds(rank == 1 ? 0 : 20'000);
                               }});
  CHECK(threw<InvalidArgument>(deadlines.thrown[1]));
  CHECK_THAT(text_of(deadlines.thrown[1]), ContainsSubstring("deadline"));
  for (const Seen* seen : {&spaces, &deadlines}) {
    CHECK(seen->launches == std::vector<int>{0, 0, 0});
    for (const std::size_t rank : {0U, 2U}) {
      CHECK(threw<RegionFailedError>(seen->thrown[rank]));
      CHECK_THAT(text_of(seen->thrown[rank]), ContainsAll("rank 1", text_of(seen->thrown[1])));
    }
  }
}

TEST_CASE("KernelTuner: what is cached is used by no rank if `keep` of one rank leaves it out") {
  const TemporaryDirectory directory;
  Group group{.directory = [&](int) { return directory.path(); }};
  const Seen first = tune(group);
  REQUIRE(count_failed(first.thrown) == 0);
  const Config best = first.results[0].best_config;
  group.keep = [&](int rank, const Config& config) { return rank == 0 || config != best; };
  const Seen second = tune(group);
  REQUIRE(count_failed(second.thrown) == 0);
  CHECK(second.results[0].best_config == second.results[1].best_config);
  for (const TuningResult& result : second.results) {
    CHECK_FALSE(result.from_cache);
    CHECK(result.best_config != best);
  }
  CHECK(tune(group).results[1].from_cache);  // what is kept now is a candidate
}

TEST_CASE("child process: KernelTuner on ranks with other versions", "[.child]") {
  ONLY_IF(is_child());
  const auto driver = [](const std::string& version) {
    detail::describe_machine("driver", [version] { return version; });
  };
  const bool accepts = std::getenv("CONTEXTUAL_VERSION_CHECK") != nullptr;
  const TemporaryDirectory directory;
  const Group group{.directory = [&](int) { return directory.path(); }};
  driver("1");
  REQUIRE(count_failed(tune(group).thrown) == 0);
  CHECK(tune(group).results[1].from_cache);
  driver("2");
  const StderrCapture capture;
  const Seen seen = tune(group);
  check_well(seen.thrown);
  CHECK(seen.results[0].from_cache == accepts);
  CHECK(seen.results[1].from_cache == accepts);
  CHECK_THAT(capture.text(),
             ContainsSubstring(accepts ? "were made with other versions of the library, its search"
                                       : "are not used: they were made with other versions"));
}

TEST_CASE("KernelTuner: on ranks, CONTEXTUAL_VERSION_CHECK=0 takes what other versions have chosen") {
  CHECK(run_child("KernelTuner on ranks with other versions") == 0);
  CHECK(run_child("KernelTuner on ranks with other versions", {{"CONTEXTUAL_VERSION_CHECK", "0"}}) == 0);
}

TEST_CASE("KernelTuner: a rank that runs a region instead of `tune` is told so on both ranks") {
  const RankKernels kernels =
      kernel_per_rank(2, [](int) { return rank_kernel("kernel_tuner elsewhere", 2); });
  const std::vector<std::exception_ptr> thrown =
      on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
        RankKernel& kernel = *kernels[rank];
        if (rank == 0) {
          tuner.run("kernel_tuner elsewhere", [&] { kernel(1); }, {.deadline = std::chrono::seconds(2)});
        } else {
          KernelTunerOptions options{.tuning = rank_options(communicator)};
          options.tuning.deadline = std::chrono::seconds(2);
          static_cast<void>(KernelTuner(kernel, options).tune({.problem_size = {1}}, 1));
        }
      });
  CHECK(count_failed(thrown) == 2);
  CHECK(threw<RankMismatchError>(thrown[1]));
}

TEST_CASE("KernelTuner: each rank tunes its own key of a kernel, and nothing is cached for all") {
  const TemporaryDirectory directory;
  for (int time = 0; time < 2; ++time) {
    PerRank<TuningResult> results(3);
    const RankKernels kernels = kernel_per_rank(
        3, [](int) { return rank_kernel("kernel_tuner keys", 4, {.participation = Participation::some}); });
    const auto thrown = on_ranks(3, [&](int rank, ContextualAutotuner&, const auto& communicator) {
      KernelTunerOptions options{.warmup_runs = 1, .benchmark_runs = 2};
      options.cache_directory = directory.path();
      options.tuning.log_directory = "";
      options.tuning.communicator = communicator;
      options.tuning.timer = testing::scripted_timer([rank](const LaunchInfo& launch) -> std::int64_t {
        return launch.config_id == static_cast<std::size_t>(rank + 1) ? 100 : 200;
      });
      results[rank] = KernelTuner(*kernels[rank], options).tune({.problem_size = {1}}, rank);
    });
    INFO(text_of(thrown[0]) << "; " << text_of(thrown[1]));
    REQUIRE(count_failed(thrown) == 0);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      CHECK_FALSE(results[rank].from_cache);
      CHECK(results[rank].best_config_id == rank + 1);
      CHECK(results[rank].all_results.size() == 4);
    }
  }
  CHECK(ConfigCache(directory.path()).get_all_keys().empty());
}

TEST_CASE("KernelTuner: what all ranks of a some kernel have chosen under one key is cached for all") {
  const TemporaryDirectory directory;
  const Group group{.directory = [&](int) { return directory.path(); }, .participation = Participation::some};
  for (const bool again : {false, true}) {
    const Seen seen = tune(group);
    REQUIRE(count_failed(seen.thrown) == 0);
    for (const TuningResult& result : seen.results) {
      CHECK(result.from_cache == again);
      CHECK(shared_bytes(result.best_config) == shared_limit);
    }
  }
}

TEST_CASE("KernelTuner: a rank that does not arrive, all ranks throw within the deadline") {
  for (const std::int64_t collective : {0, 1, 2, 3}) {  // of the request, of the run and of what it launches
    const Seen seen = tune({.rank_1_drops = collective});
    INFO("collective " << collective);
    CHECK(count_failed(seen.thrown) == 2);
    CHECK(threw<CommunicationError>(seen.thrown[0]));
    CHECK_THAT(text_of(seen.thrown[0]), ContainsSubstring("kernel_tuner gemm"));
  }
}

}  // namespace contextual::test::kernel_tuner_ranks_test
