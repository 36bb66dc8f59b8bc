#include "support/catch.hpp"
#include "support/ranks.hpp"

#include <thread>

namespace rank_mismatch_test {

using namespace contextual;
using namespace contextual::test;

namespace {

constexpr int ranks = 4;

/// All ranks threw RankMismatchError with a message that holds all of `parts`.
void check_mismatch(const std::vector<std::exception_ptr>& thrown, const std::vector<std::string>& parts) {
  for (std::size_t rank = 0; rank < thrown.size(); ++rank) {
    INFO("rank " << rank << ": " << text_of(thrown[rank]));
    CHECK(threw<RankMismatchError>(thrown[rank]));
    for (const std::string& part : parts) {
      CHECK_THAT(text_of(thrown[rank]), ContainsSubstring(part));
    }
  }
}

}  // namespace

TEST_CASE("holds 7: an extra launch on one rank is an error on all ranks", "[unit]") {
  const auto common = rank_kernel("common", 3);
  const auto extra = rank_kernel("extra", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    int runs = 0;
    tuner.run("region", [&] {
      (*common)(1);
      if (++runs == 3 && rank == 2) {
        (*extra)(5);
      }
    });
  });
  check_mismatch(thrown, {"rank 2 launched", "\"extra\"", "(5)", "tuning iteration 2", "rank 0 did not"});
}

TEST_CASE("holds 7: a missing launch on one rank is an error on all ranks", "[unit]") {
  const int missing_on = GENERATE(0, 3);
  const auto common = rank_kernel("common-2", 3);
  const auto missed = rank_kernel("missed", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    int runs = 0;
    tuner.run("region", [&] {
      (*common)(1);
      if (++runs != 4 || rank != missing_on) {
        (*missed)(6);
      }
    });
  });
  check_mismatch(thrown, {"\"missed\"", "(6)", "tuning iteration 3", missing_on == 3 ? "rank 3" : "rank 0"});
}

TEST_CASE("holds 7: another order of launches on one rank is an error on all ranks", "[unit]") {
  const auto first = rank_kernel("first", 3);
  const auto second = rank_kernel("second", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      (rank == 1 ? *second : *first)(1);
      (rank == 1 ? *first : *second)(1);
    });
  });
  check_mismatch(thrown, {"rank 1 launched kernel \"second\"", "rank 0 launched kernel \"first\"",
                          "tuning iteration 0"});
}

TEST_CASE("holds 7: another key on one rank is an error on all ranks", "[unit]") {
  const auto kernel = rank_kernel("keyed", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernel)(rank == 3 ? 4097 : 4096); });
  });
  check_mismatch(thrown, {"rank 3", "\"keyed\"", "(4097)", "(4096)", "tuning iteration 0"});
}

TEST_CASE("holds 7: another config space on one rank is an error on all ranks", "[unit]") {
  const auto participation = GENERATE(Participation::all, Participation::some);
  RankKernel::Options options;
  options.participation = participation;
  const RankKernels kernels =
      kernel_per_rank(ranks, [&](int rank) { return rank_kernel("spaced", rank == 1 ? 4 : 3, options); });
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernels[static_cast<std::size_t>(rank)])(1); });
  });
  check_mismatch(thrown, {"rank 1", "\"spaced\"", "4", "3 ", "configs", "tuning iteration"});
  check_mismatch(thrown, {"config space", "(4 and 3 configs)", "parameter TILE: only rank 1 has 4",
                          "Define the kernel alike on all ranks"});
  CHECK_THAT(text_of(thrown[0]), !ContainsSubstring("Participation::some"));
}

TEST_CASE("holds 7: spaces of equal size with other values are an error on all ranks", "[unit]") {
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    const std::vector<int> values = rank == 2 ? std::vector<int>{1, 2, 8} : std::vector<int>{1, 2, 4};
    return std::make_unique<RankKernel>(
        "valued", ConfigSpace<TileConfig>{{"TILE", &TileConfig::tile, values}},
        [](const int& key) { return make_key(key); }, [](const TileConfig&, int&) {});
  });
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernels[static_cast<std::size_t>(rank)])(1); });
  });
  check_mismatch(thrown, {"rank 2", "\"valued\"", "space"});
  check_mismatch(thrown, {"parameter TILE: only rank 2 has 8, only rank 0 has 4"});
  CHECK_THAT(text_of(thrown[0]), !ContainsSubstring("Participation::some"));
}

TEST_CASE("holds 7: another participation on one rank is an error on all ranks", "[unit]") {
  const auto other = GENERATE(Participation::some, Participation::local);
  const RankKernels kernels = kernel_per_rank(ranks, [&](int rank) {
    RankKernel::Options options;
    options.participation = rank == 1 ? other : Participation::all;
    return rank_kernel("declared", 3, options);
  });
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernels[static_cast<std::size_t>(rank)])(1); });
  });
  check_mismatch(thrown, {"rank 1", "\"declared\""});
}

TEST_CASE("holds 7: other options on one rank are an error on all ranks", "[unit]") {
  const auto kernel = rank_kernel("optional", 2);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernel)(1); }, {.n_repeat = rank == 3 ? 7 : 2});
  });
  check_mismatch(thrown, {"rank 3 has", "n_repeat=7", "n_repeat=2", "\"region\""});
}

TEST_CASE("holds 7: a search or `feasible` that differs on one rank is an error on all ranks", "[unit]") {
  const bool by_search = GENERATE(false, true);
  const auto first = rank_kernel("first of two", 3);
  const auto second = rank_kernel("second of two", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    Options options;
    options.search = SearchLevel::normal;
    options.feasible = [&](std::span<const AssignedConfig> configs) {
      return by_search || rank != 1 || configs[0].config_id != 1;
    };
    options.search_settings.factory = [&](const SearchRequest& request) {
      SearchRequest differs = request;
      if (by_search && rank == 1) {
        differs.start = Assignment(request.start.size(), 0);
        differs.walked.clear();
      }
      return joint_search(differs);
    };
    tuner.run(
        "region",
        [&] {
          (*first)(1);
          (*second)(1);
        },
        options);
  });
  check_mismatch(thrown, {"Their plans differ: the schedule, the search or `feasible`"});
}

TEST_CASE("holds 7: another region name on one rank is an error on all ranks", "[unit]") {
  const auto kernel = rank_kernel("named", 2);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run(rank == 1 ? "decode" : "prefill", [&] { (*kernel)(1); });
  });
  check_mismatch(thrown, {"rank 1 has", "\"decode\"", "\"prefill\""});
}

TEST_CASE("holds 7: another mode on one rank is an error on all ranks", "[unit]") {
  const Mode other = GENERATE(Mode::use, Mode::off);
  const auto kernel = rank_kernel("modal", 2);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] { (*kernel)(1); }, {.mode = rank == 2 ? other : Mode::tune});
  });
  check_mismatch(thrown, {"rank 2 has", other == Mode::use ? "mode=use" : "mode=off", "mode=tune"});
}

TEST_CASE("holds 7: a region that ends sooner on one rank leaves no rank waiting", "[unit]") {
  // Rank 1 is in its second region while the others are still in the first.
  const auto kernel = rank_kernel("shorter", 2);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    if (rank != 1) {
      tuner.run("a", [&] { (*kernel)(1); });
    }
    tuner.run("b", [&] { (*kernel)(1); });
  });
  check_mismatch(thrown, {"rank 1 has", "\"a\"", "\"b\""});
}

TEST_CASE("holds 7: the run after a mismatch works", "[unit]") {
  const auto kernel = rank_kernel("after-a-mismatch", 3);
  std::vector<std::size_t> choices(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    try {
      tuner.run("region", [&] { (*kernel)(rank); });
    } catch (const RankMismatchError&) {
      tuner.run("region", [&] { (*kernel)(9); });
      choices[static_cast<std::size_t>(rank)] = tuner.report().runs.back().problems.front().choice;
    }
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(choices == std::vector<std::size_t>(ranks, 2));
}

TEST_CASE("holds 7: with another order on worker threads of any order ranks agree", "[unit]") {
  const auto a = rank_kernel("worker-a", 2);
  const auto b = rank_kernel("worker-b", 3);
  std::vector<RegionReport> reports(ranks);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      const RegionContext context = RegionContext::current();
      std::thread([&] {
        const ContextGuard guard(context, LaunchOrder::any);
        (rank % 2 == 0 ? *a : *b)(1);
        (rank % 2 == 0 ? *b : *a)(1);
      }).join();
    });
    reports[static_cast<std::size_t>(rank)] = tuner.report().runs.front();
  });
  CHECK(count_failed(thrown) == 0);
  for (const RegionReport& report : reports) {
    CHECK(problem_of(report, "worker-a")->choice == 1);
    CHECK(problem_of(report, "worker-b")->choice == 2);
    CHECK(report.table.size() == reports[0].table.size());
  }
}

TEST_CASE("holds 7: another order on worker threads of the same order is an error", "[unit]") {
  const auto a = rank_kernel("ordered-a", 2);
  const auto b = rank_kernel("ordered-b", 3);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      const RegionContext context = RegionContext::current();
      std::thread([&] {
        const ContextGuard guard(context, LaunchOrder::same);
        (rank == 1 ? *a : *b)(1);
        (rank == 1 ? *b : *a)(1);
      }).join();
    });
  });
  check_mismatch(thrown, {"order"});
}

TEST_CASE("holds 7: an extra launch on a worker thread is an error on all ranks", "[unit]") {
  const auto order = GENERATE(LaunchOrder::any, LaunchOrder::same);
  const auto kernel = rank_kernel("worker-extra", 2);
  const auto thrown = on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto&) {
    tuner.run("region", [&] {
      const RegionContext context = RegionContext::current();
      std::thread([&] {
        const ContextGuard guard(context, order);
        (*kernel)(1);
        if (rank == 2) {
          (*kernel)(1);
        }
      }).join();
    });
  });
  check_mismatch(thrown, {"rank 2", "\"worker-extra\"", "tuning iteration 0"});
}

}  // namespace rank_mismatch_test
