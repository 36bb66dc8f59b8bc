#include "support/ranks.hpp"

namespace contextual::test::rank_mismatch_test {

namespace {

constexpr int ranks = 4;

/// Launches on another thread of the region.
void on_worker(LaunchOrder order, const std::function<void()>& launch) {
  const RegionContext context = RegionContext::current();
  std::thread([&] {
    const ContextGuard guard(context, order);
    launch();
  }).join();
}

}  // namespace

TEST_CASE("holds 7: other launches on one rank are an error on all ranks") {
  const auto a = rank_kernel("kernel a", 3);
  const auto b = rank_kernel("kernel b", 3);
  const auto missing_on = [&](int missing) {
    return [&, missing](int rank, int run) {
      (*a)(1);
      if (run != 3 || rank != missing) {
        (*b)(6);
      }
    };
  };
  const auto twice_on_a_worker = [&](LaunchOrder order) {
    return [&, order](int rank, int /*run*/) {
      on_worker(order, [&] {
        (*a)(1);
        if (rank == 2) {
          (*a)(1);
        }
      });
    };
  };
  const auto turned_on_rank_1 = [&](int rank) {
    (rank == 1 ? *b : *a)(1);
    (rank == 1 ? *a : *b)(1);
  };
  struct Row {
    const char* what;
    RankRegion region;
    std::vector<std::string> told;
  };
  const std::vector<Row> rows{
      {"an extra launch",
       [&](int rank, int run) {
         (*a)(1);
         if (run == 2 && rank == 2) {
           (*b)(5);
         }
       },
       {"rank 2 launched", "\"kernel b\"", "(5)", "tuning iteration 2", "rank 0 did not"}},
      {"a missing launch of the first rank",
       missing_on(0),
       {"\"kernel b\"", "(6)", "tuning iteration 3", "rank 0"}},
      {"a missing launch of the last rank",
       missing_on(3),
       {"\"kernel b\"", "(6)", "tuning iteration 3", "rank 3"}},
      {"another order",
       [&](int rank, int /*run*/) { turned_on_rank_1(rank); },
       {"rank 1 launched kernel \"kernel b\"", "rank 0 launched kernel \"kernel a\"", "tuning iteration 0"}},
      {"another key",
       [&](int rank, int /*run*/) { (*a)(rank == 3 ? 4097 : 4096); },
       {"rank 3", "\"kernel a\"", "(4097)", "(4096)", "tuning iteration 0", "the maximum over the ranks",
        "`contextual::bucket(n)`"}},
      {"another order on a worker thread of the same order",
       [&](int rank, int /*run*/) { on_worker(LaunchOrder::same, [&] { turned_on_rank_1(rank); }); },
       {"order"}},
      {"an extra launch on a worker thread of any order",
       twice_on_a_worker(LaunchOrder::any),
       {"rank 2", "\"kernel a\"", "tuning iteration 0"}},
      {"an extra launch on a worker thread of the same order",
       twice_on_a_worker(LaunchOrder::same),
       {"rank 2", "\"kernel a\"", "tuning iteration 0"}}};
  for (const Row& row : rows) {
    INFO(row.what);
    check_all_threw<RankMismatchError>(run_on_ranks(ranks, row.region).thrown, row.told);
  }
}

TEST_CASE("holds 7: a kernel that is defined otherwise on one rank is an error on all ranks") {
  using Make = std::function<std::unique_ptr<RankKernel>(int rank)>;
  const auto more_configs = [](Participation participation) {
    return
        [=](int rank) { return rank_kernel("defined", rank == 1 ? 4 : 3, {.participation = participation}); };
  };
  const auto other_participation = [](Participation other) {
    return [=](int rank) {
      return rank_kernel("defined", 3, {.participation = rank == 1 ? other : Participation::all});
    };
  };
  const auto other_values = [](int rank) {
    const std::vector<int> values = rank == 2 ? std::vector<int>{1, 2, 8} : std::vector<int>{1, 2, 4};
    return std::make_unique<RankKernel>(
        "defined", ConfigSpace<TileConfig>{{"TILE", &TileConfig::tile, values}},
        [](const int& key) { return make_key(key); }, [](const TileConfig&, int&) {});
  };
  const std::vector<std::string> told_of_more{"rank 1",
                                              "tuning iteration",
                                              "config space",
                                              "(4 and 3 configs)",
                                              "parameter TILE: only rank 1 has 4",
                                              "Define the kernel alike on all ranks"};
  struct Row {
    const char* what;
    Make make;
    std::vector<std::string> told;
  };
  const std::vector<Row> rows{
      {"more configs", more_configs(Participation::all), told_of_more},
      {"more configs of a kernel of some ranks", more_configs(Participation::some), told_of_more},
      {"as many configs, with other values",
       other_values,
       {"rank 2", "space", "parameter TILE: only rank 2 has 8, only rank 0 has 4"}},
      {"some instead of all", other_participation(Participation::some), {"rank 1"}}};
  for (const Row& row : rows) {
    INFO(row.what);
    const auto thrown = tune_kernels(ranks, row.make).thrown;
    check_all_threw<RankMismatchError>(thrown, {"\"defined\""});
    check_all_threw<RankMismatchError>(thrown, row.told);
    if (row.told.size() > 1) {
      CHECK_THAT(text_of(thrown[0]), !ContainsSubstring("Participation::some"));
    }
  }
}

TEST_CASE("holds 7: other options on one rank are an error on all ranks, which names nothing else") {
  const auto first = rank_kernel("first of two", 3);
  const auto second = rank_kernel("second of two", 3);
  const auto mode = [](Mode other) {
    return [=](int rank, Options& options) { options.mode = rank == 2 ? other : Mode::tune; };
  };
  struct Row {
    const char* what;
    RankChange change;
    std::vector<std::string> told;
  };
  const std::vector<Row> rows{{"repeats on the last rank",
                               [](int rank, Options& options) { options.n_repeat = rank == 3 ? 7 : 2; },
                               {"rank 3 has", "n_repeat=7", "n_repeat=2", "\"region\""}},
                              {"repeats on the first rank",
                               [](int rank, Options& options) { options.n_repeat = rank == 0 ? 9 : 2; },
                               {"rank 1 has n_repeat=2, rank 0 has n_repeat=9."}},
                              {"mode use", mode(Mode::use), {"rank 2 has", "mode=use", "mode=tune"}},
                              {"mode off", mode(Mode::off), {"rank 2 has", "mode=off", "mode=tune"}},
                              {"`feasible`",
                               [](int rank, Options& options) {
                                 options.search = SearchLevel::normal;
                                 options.feasible = [rank](std::span<const AssignedConfig> configs) {
                                   return rank != 1 || configs[0].config_id != 1;
                                 };
                               },
                               {"Their plans differ: the search or `feasible`"}},
                              {"the search",
                               [](int rank, Options& options) {
                                 options.search = SearchLevel::normal;
                                 options.search_settings.factory = [rank](const SearchRequest& request) {
                                   SearchRequest differs = request;
                                   if (rank == 1) {
                                     differs.start = Assignment(request.start.size(), 0);
                                     differs.walked.clear();
                                   }
                                   return joint_search(differs);
                                 };
                               },
                               {"Their plans differ: the search or `feasible`"}}};
  for (const Row& row : rows) {
    INFO(row.what);
    const auto region = [&](int /*rank*/, int /*run*/) {
      (*first)(1);
      (*second)(1);
    };
    check_all_threw<RankMismatchError>(run_on_ranks(ranks, region, row.change).thrown, row.told);
  }
}

TEST_CASE("holds 7: another region on one rank is an error on all ranks, and leaves none waiting") {
  const auto kernel = rank_kernel("named", 2);
  const auto runs_only = [&](const char* name, const char* other) {
    return on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
      tuner.run(rank == 1 ? other : name, [&] { (*kernel)(1); });
    });
  };
  check_all_threw<RankMismatchError>(runs_only("prefill", "decode"),
                                     {"rank 1 has", "\"decode\"", "\"prefill\""});
  // Rank 1 is in its second region while the others are still in the first.
  const auto ends_sooner = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    if (rank != 1) {
      tuner.run("a", [&] { (*kernel)(1); });
    }
    tuner.run("b", [&] { (*kernel)(1); });
  });
  check_all_threw<RankMismatchError>(ends_sooner, {"rank 1 has", "\"a\"", "\"b\""});
}

TEST_CASE("holds 7: the run after a mismatch works") {
  const auto kernel = rank_kernel("after-a-mismatch", 3);
  PerRank<std::size_t> choices(ranks);
  check_well(on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner) {
    try {
      tuner.run("region", [&] { (*kernel)(rank); });
    } catch (const RankMismatchError&) {
      tuner.run("region", [&] { (*kernel)(9); });
      choices[rank] = tuner.report().runs.back().problems.front().choice;
    }
  }));
  CHECK(choices == std::vector<std::size_t>(ranks, 2));
}

TEST_CASE("holds 7: another order is no difference where launches may come in any order") {
  const auto a = rank_kernel("any-a", 2);
  const auto b = rank_kernel("any-b", 3);
  const bool worker = GENERATE(true, false);
  INFO((worker ? "on a worker thread" : "on the thread of run"));
  const RankRuns outcome = run_on_ranks(ranks, [&](int rank, int /*run*/) {
    const auto launch = [&] {
      (rank % 2 == 0 ? *a : *b)(1);
      (rank % 2 == 0 ? *b : *a)(1);
    };
    if (worker) {
      on_worker(LaunchOrder::any, launch);
    } else {
      const ContextGuard guard(RegionContext::current(), LaunchOrder::any);
      launch();
    }
  });
  CHECK(outcome.well());
  for (const RegionReport& report : outcome.reports) {
    CHECK(problem_of(report, "any-a")->choice == 1);
    CHECK(problem_of(report, "any-b")->choice == 2);
    CHECK(report.table.size() == outcome.reports[0].table.size());
  }
}

}  // namespace contextual::test::rank_mismatch_test
