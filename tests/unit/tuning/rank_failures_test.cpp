#include "support/catch.hpp"
#include "support/ranks.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rank_failures_test {

using namespace contextual;
using namespace contextual::test;

namespace {

constexpr int ranks = 4;

/// Thrown by a region; not derived from anything the library knows.
struct RegionsOwn {
  int value;
};

}  // namespace

TEST_CASE("holds 4: a config that cannot be prepared on one rank is launched on none", "[unit]") {
  std::atomic<int> launches_of_config_1{0};
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    RankKernel::Options options;
    options.prepare = [rank](const TileConfig& config) {
      if (rank == 2 && config.tile == 2) {
        throw ConfigRejected("no room for tile 2");
      }
    };
    return rank_kernel("prepared", 3, options, [&](const TileConfig& config, int&) {
      launches_of_config_1 += config.tile == 2 ? 1 : 0;
    });
  });
  std::vector<ProblemReport> problems(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernels[static_cast<std::size_t>(rank)])(7); });
    problems[static_cast<std::size_t>(rank)] = tuner.report().runs.front().problems.front();
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(launches_of_config_1 == 0);
  for (const ProblemReport& problem : problems) {
    CHECK(problem.choice == 2);
    REQUIRE(problem.configs.size() == 3);
    REQUIRE(problem.configs[1].rejection);
    CHECK(*problem.configs[1].rejection == "rank 2: no room for tile 2");
    CHECK_FALSE(problem.configs[0].rejection);
    CHECK(problem.configs[1].time.count == 0);
  }
}

TEST_CASE("holds 4: a launch that fails on one rank is rejected on all with rank and reason", "[unit]") {
  std::vector<int> attempts(ranks);
  std::vector<int> done(ranks);
  std::vector<int> fallbacks(ranks);
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return rank_kernel("launched", 3, {}, [&, r, due = -1](const TileConfig& config, int&) mutable {
      ++attempts[r];
      if (r == 1 && config.tile == 3) {
        due = 3;
        throw ConfigRejected("too many registers");
      }
      fallbacks[r] += due == 3 ? 1 : 0;
      due = -1;
      ++done[r];
    });
  });
  std::vector<RegionReport> reports(ranks);
  std::vector<int> runs(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    tuner.run("region", [&] {
      ++runs[r];
      (*kernels[r])(7);
    });
    reports[r] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    const ProblemReport& problem = reports[r].problems.front();
    CHECK(problem.choice == 1);
    REQUIRE(problem.configs[2].rejection);
    CHECK(*problem.configs[2].rejection == "rank 1: too many registers");
    CHECK(done[r] == runs[r]);  // never skipped
    CHECK(runs[r] == runs[0]);
    CHECK(attempts[r] == done[r] + (r == 1 ? 1 : 0));  // tried once only
    CHECK(fallbacks[r] == (r == 1 ? 1 : 0));
  }
}

TEST_CASE("holds 4: a coupled launch that fails on one rank ends the run with an error on all", "[unit]") {
  std::atomic<int> failures{0};
  RankKernel::Options coupled;
  coupled.coupling = "pair-that-fails";
  const auto left = rank_kernel("left-that-fails", 2, coupled);
  const auto right = rank_kernel("right-that-fails", 2, coupled, [&](const TileConfig& config, int& key) {
    if (config.tile == 2 && failures.fetch_add(1) == 0) {
      (void)key;
      throw ConfigRejected("no cluster launch");
    }
  });
  const auto thrown = on_ranks(ranks, [&](int, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      (*left)(1);
      (*right)(1);
    });
  });
  int failed_here = 0;
  for (const auto& error : thrown) {
    REQUIRE(threw<Error>(error));
    failed_here += threw<RegionFailedError>(error) ? 0 : 1;
    CHECK_THAT(text_of(error), ContainsSubstring("right-that-fails"));
    CHECK_THAT(text_of(error), ContainsSubstring("no cluster launch"));
  }
  CHECK(failed_here == 1);
}

TEST_CASE("coupled kernels on many ranks use one config id in every iteration", "[unit]") {
  RankKernel::Options coupled;
  coupled.coupling = "pair";
  std::vector<std::vector<int>> used(ranks);
  std::vector<std::size_t> choices(ranks);
  thread_local std::vector<int>* mine = nullptr;
  const auto note = [](const TileConfig& config, int&) { mine->push_back(config.tile); };
  const auto left = rank_kernel("left", 4, coupled, note);
  const auto right = rank_kernel("right", 4, coupled, note);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    mine = &used[r];
    tuner.run("region", [&] {
      (*left)(1);
      (*right)(1);
    });
    choices[r] = tuner.report().runs.front().problems.front().choice;
  });
  CHECK(count_failed(thrown) == 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(choices[r] == 3);
    CHECK(used[r] == used[0]);
    REQUIRE(used[r].size() == 2 * (4 * 3 + 1));
    for (std::size_t i = 0; i < used[r].size(); i += 2) {
      CHECK(used[r][i] == used[r][i + 1]);
    }
  }
}

TEST_CASE("holds 5: when all configs fail TuningFailedError has every reason on all ranks", "[unit]") {
  const bool when_prepared = GENERATE(true, false);
  INFO("fails when " << (when_prepared ? "prepared" : "launched"));
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    const auto refuse = [rank](const TileConfig& config) {
      if (config.tile % ranks == rank) {  // each rank refuses some, all of them together refuse all
        throw ConfigRejected("tile " + std::to_string(config.tile) + " refused");
      }
    };
    RankKernel::Options options;
    if (when_prepared) {
      options.prepare = refuse;
      return rank_kernel("hopeless", 5, options);
    }
    return rank_kernel("hopeless", 5, {}, [refuse](const TileConfig& config, int&) { refuse(config); });
  });
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernels[static_cast<std::size_t>(rank)])(3); });
  });
  for (const auto& error : thrown) {
    REQUIRE(threw<TuningFailedError>(error));
    try {
      std::rethrow_exception(error);
    } catch (const TuningFailedError& failed) {
      CHECK(failed.region() == "region");
      CHECK(failed.kernel() == "hopeless");
      CHECK(failed.key() == "(3)");
      std::set<std::size_t> configs;
      for (const Rejection& rejection : failed.rejections()) {
        configs.insert(rejection.config_id);
        CHECK_THAT(rejection.reason, ContainsSubstring("rank "));
        CHECK_THAT(rejection.reason, ContainsSubstring("refused"));
      }
      CHECK(configs == std::set<std::size_t>{0, 1, 2, 3, 4});
    }
  }
}

TEST_CASE("holds 5: a launch that finds no config left names its own kernel on all ranks", "[unit]") {
  // The other kernel has a rejection in the same batch, which is no reason of this one.
  const RankKernels others = kernel_per_rank(ranks, [](int rank) {
    return rank_kernel("another", 2, {}, [rank](const TileConfig& config, int&) {
      if (rank == 3 && config.tile == 2) {
        throw ConfigRejected("not the reason");
      }
    });
  });
  const RankKernels kernels = kernel_per_rank(ranks, [](int rank) {
    return rank_kernel("breaks", 2, {}, [rank, uses = 0](const TileConfig&, int&) mutable {
      if (rank == 3 && ++uses > 4) {
        throw ConfigRejected("out of memory");
      }
    });
  });
  std::vector<Report> reports(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    try {
      tuner.run("region", [&] {
        (*kernels[r])(1);
        (*others[r])(2);
      });
    } catch (...) {
      reports[r] = tuner.report();
      throw;
    }
  });
  for (const Report& report : reports) {
    REQUIRE(report.runs.size() == 1);
    for (const ProblemReport& problem : report.runs.front().problems) {
      const bool failed = problem.kernel == "breaks";
      CHECK((problem.outcome == ProblemOutcome::failed) == failed);
      for (const ConfigReport& config : problem.configs) {
        CHECK((config.rejection == "rank 3: out of memory") == failed);
      }
    }
  }
  for (const auto& error : thrown) {
    REQUIRE(threw<TuningFailedError>(error));
    try {
      std::rethrow_exception(error);
    } catch (const TuningFailedError& failed) {
      CHECK(failed.kernel() == "breaks");
      CHECK(failed.key() == "(1)");
      CHECK(failed.rejections().size() == 2);
      for (const Rejection& rejection : failed.rejections()) {
        CHECK(rejection.reason == "rank 3: out of memory");
      }
    }
  }
}

TEST_CASE("holds 5: a local kernel that fails on one rank ends the run on all ranks", "[unit]") {
  const bool when_prepared = GENERATE(true, false);
  INFO("fails when " << (when_prepared ? "prepared" : "launched"));
  const auto shared = rank_kernel("beside", 4);
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    RankKernel::Options options;
    options.participation = Participation::local;
    const auto refuse = [rank](const TileConfig&) {
      if (rank == 1) {
        throw ConfigRejected("not on this machine");
      }
    };
    if (when_prepared) {
      options.prepare = refuse;
      return rank_kernel("own", 2, options);
    }
    return rank_kernel("own", 2, options, [refuse](const TileConfig& config, int&) { refuse(config); });
  });
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region",
              [&] {
                (*shared)(1);
                (*kernels[static_cast<std::size_t>(rank)])(1);
              },
              {.deadline = std::chrono::seconds(10)});
  });
  CHECK(threw<TuningFailedError>(thrown[1]));
  for (const auto& error : thrown) {
    REQUIRE(error);
    CHECK_FALSE(threw<CommunicationError>(error));
    CHECK_THAT(text_of(error), ContainsSubstring("not on this machine"));
  }
}

TEST_CASE("holds 6: a region's exception is unchanged on its rank and named on the others", "[unit]") {
  const auto kernel = rank_kernel("before-the-throw", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    int runs = 0;
    tuner.run("region", [&] {
      (*kernel)(1);
      if (++runs == 5 && rank == 2) {
        throw std::out_of_range("shard 17");
      }
    });
  });
  CHECK(threw<std::out_of_range>(thrown[2]));
  CHECK(text_of(thrown[2]) == "shard 17");
  for (const std::size_t r : {0, 1, 3}) {
    REQUIRE(threw<RegionFailedError>(thrown[r]));
    try {
      std::rethrow_exception(thrown[r]);
    } catch (const RegionFailedError& failed) {
      CHECK(failed.failed_rank() == 2);
      CHECK(failed.cause() == "shard 17");
      CHECK(failed.tuning_iteration() == 4);
      CHECK_THAT(failed.what(), ContainsSubstring("region"));
    }
  }
}

TEST_CASE("holds 6: an exception that is no std::exception passes unchanged", "[unit]") {
  const auto kernel = rank_kernel("before-a-foreign-throw", 2);
  int value = 0;
  const auto thrown = on_ranks(2, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      (*kernel)(1);
      if (rank == 0) {
        throw RegionsOwn{42};
      }
    });
  });
  try {
    std::rethrow_exception(thrown[0]);
  } catch (const RegionsOwn& own) {
    value = own.value;
  }
  CHECK(value == 42);
  CHECK(threw<RegionFailedError>(thrown[1]));
}

TEST_CASE("holds 6: after a throw on one rank lock-ins stay and the next run works on all", "[unit]") {
  const auto early = rank_kernel("early", 1);
  const auto late = rank_kernel("late", 3);
  std::vector<RegionReport> second(ranks);
  std::vector<int> failures(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    const auto r = static_cast<std::size_t>(rank);
    int runs = 0;
    const auto region = [&] {
      (*early)(1);
      (*late)(1);
      if (++runs == 5 && rank == 0) {  // the early kernel is locked in by then
        throw std::runtime_error("once");
      }
    };
    try {
      tuner.run("region", region);
    } catch (const std::exception&) {
      ++failures[r];
    }
    tuner.run("region", region);
    second[r] = tuner.report().runs.at(1);
  });
  CHECK(count_failed(thrown) == 0);
  for (std::size_t r = 0; r < ranks; ++r) {
    CHECK(failures[r] == 1);
    CHECK(problem_of(second[r], "early")->reused);
    CHECK_FALSE(problem_of(second[r], "late")->reused);
    CHECK(problem_of(second[r], "late")->choice == 2);
    CHECK(agreed_text(second[r]) == agreed_text(second[0]));
  }
}

TEST_CASE("holds 6: a hook that throws on one rank counts as its region", "[unit]") {
  const auto kernel = rank_kernel("beside-a-hook", 2);
  const auto thrown = on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    Options options;
    options.after_iteration = [rank](const IterationInfo& info) {
      if (rank == 1 && info.tuning_iteration == 2) {
        throw std::runtime_error("wrong result");
      }
    };
    tuner.run(
        "region", [&] { (*kernel)(1); }, options);
  });
  CHECK(text_of(thrown[1]) == "wrong result");
  CHECK_THAT(text_of(thrown[0]), ContainsSubstring("wrong result"));
  CHECK(threw<RegionFailedError>(thrown[2]));
}

TEST_CASE("a log directory that one rank cannot write is reported on all ranks", "[unit]") {
  const auto root = std::filesystem::temp_directory_path() / "contextual-rank-log-test";
  std::filesystem::remove_all(root);
  std::filesystem::create_directories(root);
  std::ofstream(root / "file") << "not a directory";
  const auto kernel = rank_kernel("logged", 2);
  std::atomic<int> runs{0};
  const auto thrown = on_ranks(3, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    Options options;
    options.log_directory = rank == 1 ? root / "file" / "below" : root / "logs";
    tuner.run(
        "region",
        [&] {
          ++runs;
          (*kernel)(1);
        },
        options);
  });
  CHECK(threw<InvalidArgument>(thrown[1]));
  for (const std::size_t r : {0, 2}) {
    REQUIRE(threw<RegionFailedError>(thrown[r]));
    CHECK_THAT(text_of(thrown[r]), ContainsSubstring("rank 1"));
    CHECK_THAT(text_of(thrown[r]), ContainsSubstring("below"));
  }
  CHECK(runs == 0);
  std::filesystem::remove_all(root);
}

}  // namespace rank_failures_test
