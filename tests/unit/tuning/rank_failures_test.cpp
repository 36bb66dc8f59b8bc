#include "support/ranks.hpp"
#include "support/stderr_capture.hpp"

#include <contextual/detail/measure/device_buffers.hpp>

#include <cstring>

namespace contextual::test::rank_failures_test {

namespace {

constexpr int ranks = 4;

/// Thrown by a region; not derived from anything the library knows.
struct RegionsOwn {
  int value;
};

/// A kernel that `refuse` keeps from being prepared, or from being launched.
std::unique_ptr<RankKernel> refusing_kernel(const std::string& name, int configs, bool when_prepared,
                                            const std::function<void(const TileConfig&)>& refuse,
                                            RankKernel::Options options = {}) {
  if (when_prepared) {
    options.load = refuse;
    return rank_kernel(name, configs, options);
  }
  return rank_kernel(name, configs, options, [refuse](const TileConfig& config, int&) { refuse(config); });
}

}  // namespace

#ifndef __SANITIZE_THREAD__  // which ends a process that asks for so much
namespace {

/// More than there is, on one rank; little on the others.
std::size_t bytes_on(int rank, int of_short_rank, std::size_t little) {
  return rank == of_short_rank ? std::size_t{1} << 60U : little;
}

}  // namespace

TEST_CASE("holds 8: where one rank has no memory for copies, all ranks throw before the region runs") {
  std::int8_t state = 0;
  std::atomic<int> runs{0};
  std::atomic<int> later_runs{0};
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    const auto kernel = rank_kernel("copies", 3);
    try {
      tuner.run("copies", [&] { ++runs, (*kernel)(1); },
                {.restore = {{Restored{"state", &state, bytes_on(rank, 2, 1)}}}});
    } catch (...) {
      tuner.run("later", [&] { ++later_runs, (*kernel)(1); });
      throw;
    }
  });
  for (const std::exception_ptr& error : thrown) {
    CHECK_THAT(text_of(error), ContainsAll("buffer \"state\"", "1152921504606846976 bytes", "rank 2"));
  }
  CHECK(runs == 0);
  CHECK(later_runs > ranks);
}

TEST_CASE("run with nothing to tune: who has no memory for copies runs without, and says so") {
  std::int8_t state = 0;
  const StderrCapture said;
  check_well(on_ranks(2, [&](int rank, ContextualAutotuner& tuner) {
    const auto kernel = rank_kernel("copies of nothing", 3);
    const auto region = [&] { (*kernel)(1); };
    tuner.run("settled", region);
    tuner.run("settled", region, {.restore = {{Restored{"state", &state, bytes_on(rank, 1, 1)}}}});
  }));
  CHECK_THAT(said.text(),
             ContainsAll("region \"settled\" runs without copies", "rank 1 has no memory for it"));
}
#endif

namespace {

/// On the memory of rank 1, which is a device's that has no room for another byte.
std::array<float, 4> on_full_device{};

struct FullDevice {
  static constexpr detail::DeviceBuffers buffers{
      .owns = [](const void* data) noexcept { return data == on_full_device.data(); },
      .wait = [] {},
      .fill = [](void* data, unsigned char byte, std::size_t bytes) { std::memset(data, byte, bytes); },
      .copy = [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); },
      .copy_in_order = [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); },
      .memory_beside = [](const void*, std::size_t) -> std::shared_ptr<std::byte> {
        throw Error("cuMemAlloc: out of memory");
      },
      .memory_to_compare = [](const void*, std::size_t) -> std::shared_ptr<std::byte> {
        throw Error("cuMemHostAlloc: out of memory");
      },
      .compare = [](const void*, const void*, std::size_t, ElementType,
                    const detail::Tolerance&) { return detail::Differences(); },
      .sums = [](const void*, std::size_t, ElementType,
                 std::size_t) { return std::vector<detail::BlockSum>(); }};
  FullDevice() { detail::set_device_buffers(&buffers); }
  FullDevice(const FullDevice&) = delete;
  FullDevice& operator=(const FullDevice&) = delete;
  ~FullDevice() { detail::set_device_buffers(nullptr); }
};

}  // namespace

TEST_CASE(
    "holds 8: where a device of one rank has no memory for copies, all ranks throw, and nothing is filled") {
  const FullDevice device;
  for (const bool restores : {true, false}) {
    on_full_device.fill(1);
    std::array<float, 4> of_host{};
    std::atomic<int> runs{0};
    const auto thrown = on_ranks(2, [&](int rank, ContextualAutotuner& tuner) {
      const auto kernel = rank_kernel("copies on a device", 3);
      auto& buffer = rank == 1 ? on_full_device : of_host;
      Options options;
      if (restores) {
        options.restore = {{restored("state", buffer)}};
      } else {
        options.outputs = {{output("state", buffer)}};
      }
      tuner.run(
          "device", [&] { ++runs, (*kernel)(1); }, options);
    });
    for (const std::exception_ptr& error : thrown) {
      CHECK_THAT(text_of(error), ContainsAll("\"state\" needs a copy of 0.0 MiB, 16 bytes, and rank 1 has "
                                             "no memory for it: cuMem",
                                             "out of memory"));
    }
    CHECK(runs == 0);
    CHECK(on_full_device == std::array<float, 4>{1, 1, 1, 1});
  }
}

TEST_CASE("holds 4: a config that cannot be prepared on one rank is launched on none") {
  std::atomic<int> launches_of_config_1{0};
  const RankRuns outcome = tune_kernels(ranks, [&](int rank) {
    return rank_kernel(
        "prepared", 3, {.load = refuse_tile(rank == 2, 2, "no room for tile 2")},
        [&](const TileConfig& config, int&) { launches_of_config_1 += config.tile == 2 ? 1 : 0; });
  });
  CHECK(outcome.well());
  CHECK(launches_of_config_1 == 0);
  for (const RegionReport& report : outcome.reports) {
    const ProblemReport& problem = report.problems.front();
    CHECK(problem.choice == 2);
    REQUIRE(problem.configs.size() == 3);
    CHECK(problem.configs[1].rejection == "rank 2: no room for tile 2");
    CHECK(problem.configs[1].rejected_by == std::vector<int>{2});
    CHECK_FALSE(problem.configs[0].rejection);
    CHECK(problem.configs[1].time.count == 0);
  }
}

TEST_CASE("holds 4: a launch that fails on one rank is rejected on all with rank and reason") {
  PerRank<int> attempts(ranks);
  PerRank<int> done(ranks);
  PerRank<int> fallbacks(ranks);
  const RankRuns outcome = tune_kernels(ranks, [&](int rank) {
    return rank_kernel("launched", 3, {}, [&, rank, due = -1](const TileConfig& config, int&) mutable {
      ++attempts[rank];
      if (rank == 1 && config.tile == 3) {
        due = 3;
        throw ConfigRejected("too many registers");
      }
      fallbacks[rank] += due == 3 ? 1 : 0;
      due = -1;
      ++done[rank];
    });
  });
  CHECK(outcome.well());
  for (std::size_t r = 0; r < ranks; ++r) {
    const ProblemReport& problem = outcome.reports[r].problems.front();
    CHECK(problem.choice == 1);
    CHECK(problem.configs[2].rejection == "rank 1: too many registers");
    CHECK(done[r] == outcome.runs[r]);  // never skipped
    CHECK(outcome.runs[r] == outcome.runs[0]);
    CHECK(attempts[r] == done[r] + (r == 1 ? 1 : 0));  // tried once only
    CHECK(fallbacks[r] == (r == 1 ? 1 : 0));
  }
}

TEST_CASE("holds 4: a coupled launch that fails on one rank ends the run with an error on all") {
  std::atomic<int> failures{0};
  const RankKernel::Options coupled{.coupling = "pair-that-fails"};
  const auto left = rank_kernel("left-that-fails", 2, coupled);
  const auto right = rank_kernel("right-that-fails", 2, coupled, [&](const TileConfig& config, int&) {
    throw_if<ConfigRejected>(config.tile == 2 && failures.fetch_add(1) == 0, "no cluster launch");
  });
  const RankRuns outcome = run_on_ranks(ranks, [&](int, int) { (*left)(1), (*right)(1); });
  int failed_here = 0;
  for (const auto& error : outcome.thrown) {
    REQUIRE(threw<Error>(error));
    failed_here += threw<RegionFailedError>(error) ? 0 : 1;
    CHECK_THAT(text_of(error), ContainsAll("right-that-fails", "no cluster launch"));
  }
  CHECK(failed_here == 1);
}

TEST_CASE("coupled kernels on many ranks use one config id in every iteration") {
  const RankKernel::Options coupled{.coupling = "pair"};
  PerRank<std::vector<int>> used(ranks);
  thread_local std::vector<int>* mine = nullptr;
  const auto note = [](const TileConfig& config, int&) { mine->push_back(config.tile); };
  const auto left = rank_kernel("left", 4, coupled, note);
  const auto right = rank_kernel("right", 4, coupled, note);
  const RankRuns outcome = run_on_ranks(ranks, [&](int rank, int) {
    mine = &used[rank];
    (*left)(1);
    (*right)(1);
  });
  CHECK(outcome.well());
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(outcome.reports[r].problems.front().choice == 3);
    CHECK(used[r] == used[0]);
    REQUIRE(used[r].size() == 2 * (4 * 3 + 1));
    for (std::size_t i = 0; i < used[r].size(); i += 2) {
      CHECK(used[r][i] == used[r][i + 1]);
    }
  }
}

TEST_CASE("holds 5: when all configs fail TuningFailedError has every reason on all ranks") {
  const bool when_prepared = GENERATE(true, false);
  INFO("fails when " << (when_prepared ? "prepared" : "launched"));
  const RankRuns outcome = tune_kernels(ranks, [&](int rank) {
    return refusing_kernel("hopeless", 5, when_prepared, [rank](const TileConfig& config) {
      throw_if<ConfigRejected>(config.tile % ranks == rank,
                               "tile " + std::to_string(config.tile) +
                                   " refused");  // each rank refuses some, all of them together refuse all
    });
  });
  for (const auto& thrown : outcome.thrown) {
    const auto failed = thrown_as<TuningFailedError>(thrown);
    CHECK(failed.region() == "region");
    CHECK(failed.kernel() == "hopeless");
    CHECK(failed.key() == "(1)");
    std::set<std::size_t> configs;
    for (const Rejection& rejection : failed.rejections()) {
      configs.insert(rejection.config_id);
      CHECK_THAT(rejection.reason, ContainsAll("rank ", "refused"));
    }
    CHECK(configs == std::set<std::size_t>{0, 1, 2, 3, 4});
  }
}

TEST_CASE("holds 5: a launch that finds no config left names its own kernel on all ranks") {
  // The other kernel has a rejection in the same batch, which is no reason of this one.
  const RankKernels others = kernel_per_rank(ranks, [](int rank) {
    return rank_kernel("another", 2, {}, refuse_tile(rank == 3, 2, "not the reason"));
  });
  const RankKernels kernels = kernel_per_rank(ranks, [](int rank) {
    return rank_kernel("breaks", 2, {}, [rank, uses = 0](const TileConfig&, int&) mutable {
      throw_if<ConfigRejected>(rank == 3 && ++uses > 4, "out of memory");
    });
  });
  const RankRuns outcome = run_on_ranks(ranks, [&](int rank, int) {
    kernels(rank, 1);
    others(rank, 2);
  });
  for (const RegionReport& report : outcome.reports) {
    REQUIRE(report.problems.size() == 2);
    for (const ProblemReport& problem : report.problems) {
      const bool failed = problem.kernel == "breaks";
      CHECK((problem.outcome == ProblemOutcome::failed) == failed);
      for (const ConfigReport& config : problem.configs) {
        CHECK((config.rejection == "rank 3: out of memory") == failed);
      }
    }
  }
  for (const auto& thrown : outcome.thrown) {
    const auto failed = thrown_as<TuningFailedError>(thrown);
    CHECK(failed.kernel() == "breaks");
    CHECK(failed.key() == "(1)");
    CHECK(failed.rejections().size() == 2);
    for (const Rejection& rejection : failed.rejections()) {
      CHECK(rejection.reason == "rank 3: out of memory");
      CHECK(rejection.ranks == std::vector<int>{3});
    }
  }
}

TEST_CASE("holds 5: a kernel that fails under one rank's own key ends the run on all ranks") {
  const bool when_prepared = GENERATE(true, false);
  INFO("fails when " << (when_prepared ? "prepared" : "launched"));
  const auto shared = rank_kernel("beside", 4);
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    return refusing_kernel(
        "own", 2, when_prepared,
        [rank](const TileConfig&) { throw_if<ConfigRejected>(rank == 1, "not on this machine"); },
        {.participation = Participation::some});
  });
  const RankRuns outcome = run_on_ranks(
      ranks,
      [&](int rank, int) {
        (*shared)(1);
        kernels(rank, rank);
      },
      [](int, Options& options) { options.deadline = std::chrono::seconds(10); });
  check_all_threw<TuningFailedError>(outcome.thrown, {"not on this machine"});
}

TEST_CASE("holds 6: a region's exception is unchanged on its rank and named on the others") {
  const auto kernel = rank_kernel("before-the-throw", 3);
  const RankRuns outcome = run_on_ranks(ranks, [&](int rank, int run) {
    (*kernel)(1);
    throw_if<std::out_of_range>(run == 4 && rank == 2, "shard 17");
  });
  CHECK(threw<std::out_of_range>(outcome.thrown[2]));
  CHECK(text_of(outcome.thrown[2]) == "shard 17");
  for (const std::size_t r : {0, 1, 3}) {
    const auto failed = thrown_as<RegionFailedError>(outcome.thrown[r]);
    CHECK(failed.failed_rank() == 2);
    CHECK(failed.cause() == "shard 17");
    CHECK(failed.tuning_iteration() == 4);
    CHECK_THAT(failed.what(), ContainsSubstring("region"));
  }
}

TEST_CASE("holds 6: the other ranks are told whose launcher threw") {
  const RankRuns outcome = tune_kernels(2, [](int rank) {
    return rank_kernel("throws", 2, {}, [rank](const TileConfig& config, int&) {
      throw_if<std::out_of_range>(rank == 1 && config.tile == 2, "shard 17");
    });
  });
  CHECK(text_of(outcome.thrown[1]) == "shard 17");
  CHECK(thrown_as<RegionFailedError>(outcome.thrown[0]).cause() ==
        "the launcher of kernel \"throws\", key (1), config-1 {TILE: 2} threw: shard 17");
}

TEST_CASE("holds 6: a failure after a rejection names the rejected config, whichever rank failed") {
  const std::size_t failing = GENERATE(0U, 1U);
  std::array<bool, 2> is_due{};
  const RankKernels kernels = kernel_per_rank(2, [&](int rank) {
    return rank_kernel("reduces", 3, {}, [&, rank](const TileConfig& config, int&) {
      const bool last = config.tile == 3;
      is_due.at(static_cast<std::size_t>(rank)) |= last;
      throw_if<ConfigRejected>(last && rank == 1, "no workspace");
    });
  });
  const StderrCapture said;
  const RankRuns outcome = run_on_ranks(2, [&](int rank, int /*run*/) {
    const auto r = static_cast<std::size_t>(rank);
    kernels(rank, 1);
    throw_if<std::runtime_error>(r == failing && is_due.at(r), "message truncated");
  });
  const std::string rejection =
      "kernel \"reduces\" (1): config-2 {TILE: 3} was rejected before that (no workspace), and this rank "
      "launched "
      "another one in its place";
  CHECK(text_of(outcome.thrown[failing]) == "message truncated");
  const std::string told = thrown_as<RegionFailedError>(outcome.thrown[1 - failing]).cause();
  CHECK(told == (failing == 1 ? "message truncated; " + rejection : "message truncated"));
  CHECK_THAT(said.text(), ContainsSubstring(rejection));
}

TEST_CASE("holds 6: an exception that is no std::exception passes unchanged") {
  const auto kernel = rank_kernel("before-a-foreign-throw", 2);
  const RankRuns outcome = run_on_ranks(2, [&](int rank, int) {
    (*kernel)(1);
    if (rank == 0) {
      throw RegionsOwn{42};
    }
  });
  CHECK(thrown_as<RegionsOwn>(outcome.thrown[0]).value == 42);
  CHECK(threw<RegionFailedError>(outcome.thrown[1]));
}

TEST_CASE("holds 6: after a throw on one rank lock-ins stay and the next run works on all") {
  const auto early = rank_kernel("early", 1);
  const auto late = rank_kernel("late", 3);
  PerRank<RegionReport> second(ranks);
  PerRank<int> failures(ranks);
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    int runs = 0;
    const auto region = [&] {
      (*early)(1);
      (*late)(1);
      throw_if<std::runtime_error>(++runs == 5 && rank == 0,
                                   "once");  // the early kernel is locked in by then
    };
    try {
      tuner.run("region", region);
    } catch (const std::exception&) {
      ++failures[rank];
    }
    tuner.run("region", region);
    second[rank] = tuner.report().runs.at(1);
  }));
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(failures[r] == 1);
    CHECK(problem_of(second[r], "early")->reused);
    CHECK_FALSE(problem_of(second[r], "late")->reused);
    CHECK(problem_of(second[r], "late")->choice == 2);
    CHECK(second[r].table.size() == 3 * 3 + 1);  // the walk of the late one alone
    CHECK(agreed_text(second[r]) == agreed_text(second[0]));
  }
}

TEST_CASE("holds 6: a hook that throws on one rank counts as its region") {
  const auto kernel = rank_kernel("beside-a-hook", 2);
  const RankRuns outcome = run_on_ranks(
      3, [&](int, int) { (*kernel)(1); },
      [](int rank, Options& options) {
        options.after_iteration = [rank](const IterationInfo& info) {
          throw_if<std::runtime_error>(rank == 1 && info.tuning_iteration == 2, "wrong result");
        };
      });
  CHECK(text_of(outcome.thrown[1]) == "wrong result");
  CHECK_THAT(text_of(outcome.thrown[0]), ContainsSubstring("wrong result"));
  CHECK(threw<RegionFailedError>(outcome.thrown[2]));
}

TEST_CASE("a log directory that one rank cannot write is reported on all ranks") {
  const TemporaryDirectory root;
  std::ofstream(root.path() / "file") << "not a directory";
  const auto kernel = rank_kernel("logged", 2);
  const RankRuns outcome = run_on_ranks(
      3, [&](int, int) { (*kernel)(1); },
      [&](int rank, Options& options) {
        options.log_directory = root.path() / (rank == 1 ? "file/below" : "logs");
      });
  CHECK(threw<InvalidArgument>(outcome.thrown[1]));
  for (const std::size_t r : {0, 2}) {
    REQUIRE(threw<RegionFailedError>(outcome.thrown[r]));
    CHECK_THAT(text_of(outcome.thrown[r]), ContainsAll("rank 1", "below"));
  }
  CHECK(outcome.runs == std::vector<int>(3, 0));
}

}  // namespace contextual::test::rank_failures_test
