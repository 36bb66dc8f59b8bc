/// \file
/// Tuned functions on several ranks, and choices that outlive the process.

#include "support/scoped_rank.hpp"
#include "unit/tuning/changed_options.hpp"

#include <contextual/detail/storage/machine.hpp>

namespace contextual::test::function_ranks_test {

namespace {

using RankFunction = TunedFunction<int(const TileConfig&, int)>;

/// What a rank does with a function of its own.
using FunctionBody = std::function<void(int rank, RankFunction& function, const std::vector<int>& used)>;

struct Ranks {
  PerRank<std::vector<int>> used;  ///< by rank: the tile of each run
  std::vector<std::exception_ptr> thrown;
  testing::ScriptedTraffic traffic;
};

/// Ranks that have a function each, of the same name. Later configs are faster.
Ranks functions_on(int count, const std::string& name, const Options& changed, const FunctionBody& body) {
  Ranks ranks;
  ranks.used.resize(static_cast<std::size_t>(count));
  testing::ScriptedWorld world(count);
  ranks.thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    std::vector<int>& used = ranks.used[rank];
    const Options options = rank_options(
        communicator, {.deadline = changed.deadline, .cache_directory = changed.cache_directory});
    RankFunction function(
        name, tiles(3), [](int n) { return make_key(n); },
        [&used](const TileConfig& config, int n) {
          used.push_back(config.tile);
          return config.tile * n;
        },
        {.options = options});
    body(rank, function, used);
  });
  ranks.traffic = world.traffic();
  return ranks;
}

}  // namespace

TEST_CASE("function on ranks: all ranks tune together and choose alike, then do not communicate") {
  const Ranks ranks = functions_on(
      3, "fn_ranks", {}, [](int, RankFunction& function, const auto&) { static_cast<void>(function(5)); });
  check_well(ranks.thrown);
  const Ranks again = functions_on(3, "fn_ranks", {}, [](int, RankFunction& function, const auto&) {
    for (int call = 0; call < 10; ++call) {
      static_cast<void>(function(5));
    }
  });
  check_well(again.thrown);
  for (const std::vector<int>& used : again.used) {
    CHECK(used.size() == 3 * 3 + 1 + 9);
    CHECK(used.back() == 3);
  }
  CHECK(again.traffic.collectives == ranks.traffic.collectives);
}

TEST_CASE("function on ranks: one that throws on a rank fails on all of them, and can be called again") {
  PerRank<std::string> errors(2);
  PerRank<int> results(2);
  const auto body = [&](int rank, RankFunction& function, const std::vector<int>&) {
    try {
      static_cast<void>(function(rank == 1 ? -1 : 5));
    } catch (const std::exception& error) {
      errors[rank] = error.what();
    }
    results[rank] = function(5);
  };
  const Ranks ranks = functions_on(2, "fn_rank_mismatch", {}, body);
  check_well(ranks.thrown);
  // Keys differ: all ranks are told so, with the ranks.
  CHECK_THAT(errors[0], ContainsAll("fn_rank_mismatch", "rank"));
  CHECK_THAT(errors[1], ContainsAll("fn_rank_mismatch", "rank"));
  CHECK(results == std::vector<int>{15, 15});
}

TEST_CASE("function on ranks: a config that throws on one rank is out on all of them") {
  PerRank<int> used(2);
  PerRank<std::string> reasons(2);
  testing::ScriptedWorld world(2);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Options options =
        rank_options(communicator, {.timer = testing::scripted_timer([](const LaunchInfo& launch) {
                                      return 100'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
                                    })});
    auto function =
        autotune("fn_throws_on_rank", blocks(3), single_problem,
                 [&](const Block& block) {
                   throw_if<std::runtime_error>(rank == 1 && block.block == 2, "no room on this rank");
                   return block.block;
                 },
                 {.options = options});
    used[rank] = function();
    const Report report = function.report();
    reasons[rank] = report.runs.back().problems.front().configs[2].rejection.value_or("");
  }));
  CHECK(used == std::vector<int>{1, 1});
  CHECK_THAT(reasons[0], ContainsAll("rank 1", "no room on this rank"));
}

TEST_CASE("function on ranks: a group that a call names tunes for itself") {
  PerRank<std::vector<int>> used(2);
  testing::ScriptedWorld world(2);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    auto function = autotune(
        "fn_named_group", tiles(3), [](int n) { return make_key(n); },
        [&own = used[rank]](const TileConfig& config, int) { own.push_back(config.tile); },
        {.keep = [](const TileConfig& config, int) { return config.tile != 3; },
         .options = rank_options(nullptr)});
    function.with({.communicator = communicator}, 1);
    function.with({.communicator = communicator}, 1);
  }));
  // Two configs, each with 1 warm-up and 2 repeats; then the final run and a later call.
  CHECK(used[0] == std::vector<int>{1, 1, 1, 2, 2, 2, 2, 2});
  CHECK(used[1] == used[0]);
}

TEST_CASE("function: a choice with one communicator is not used with another one") {
  PerRank<int> runs(2);
  testing::ScriptedWorld world(2);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    int& count = runs[rank];
    RankFunction function(
        "fn_two_groups", tiles(2), [](int n) { return make_key(n); },
        [&count](const TileConfig&, int n) {
          ++count;
          return n;
        },
        {.options = rank_options(communicator)});
    const CallOptions alone{.communicator = testing::ScriptedWorld(1).communicator(0)};
    function(1);
    count = 0;
    function.with(alone, 1);
    const int tuning_runs = count;
    count = 0;
    function(1);
    function.with(alone, 1);
    count += tuning_runs == 2 * 3 + 1 ? 0 : 100;
  }));
  CHECK(runs == std::vector<int>{2, 2});
}

TEST_CASE("function on ranks: groups of one size choose apart, and their ranks launch alike afterwards") {
  // Rank 1 is in both groups. In the second one another config of the kernel is fastest.
  std::vector<std::vector<int>> launched(3);  // tens: the function's config, ones: its kernel's
  testing::ScriptedWorld one(2);
  testing::ScriptedWorld other(2);
  const auto in_group = [](testing::ScriptedWorld& world, int rank, const std::string& process) {
    return std::make_shared<ScopedRank>(world.communicator(rank), "fn_groups process " + process);
  };
  const std::array<std::shared_ptr<Communicator>, 3> first{in_group(one, 0, "0"), in_group(one, 1, "1"),
                                                           nullptr};
  const std::array<std::shared_ptr<Communicator>, 3> second{nullptr, in_group(other, 0, "1"),
                                                            in_group(other, 1, "2")};
  PerRank<std::string> errors(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([&, rank] {
      int group = 0;
      Options options = rank_options(
          nullptr, {.search = SearchLevel::off,
                    .timer = testing::scripted_timer([&group](const LaunchInfo& launch) -> std::int64_t {
                      return launch.config_id == static_cast<std::size_t>(group) ? 1'000 : 9'000;
                    })});
      int tile = 0;
      TunableKernel<void(const TileConfig&)> inner(
          "fn_groups_inner" + std::to_string(rank), tiles(2), single_problem,
          [&](const TileConfig& config) { tile = config.tile; }, {.participation = Participation::some});
      auto function = autotune("fn_groups", tiles(2), single_problem,
                               [&](const TileConfig& config) {
                                 inner();
                                 launched[rank].push_back(10 * config.tile + tile);
                               },
                               {.options = options});
      try {
        for (group = 0; group < 2; ++group) {
          if (const auto& communicator = group == 0 ? first[rank] : second[rank]; communicator != nullptr) {
            function.with({.communicator = communicator});
          }
        }
        launched[rank].clear();
        for (const auto& communicator : {first[rank], second[rank]}) {
          if (communicator != nullptr) {
            function.with({.communicator = communicator});
          }
        }
      } catch (const std::exception& error) {
        errors[rank] = error.what();
      }
    });
  }
  for (std::thread& rank : ranks) {
    rank.join();
  }
  CHECK(errors == std::vector<std::string>(3));
  CHECK(launched[0] == std::vector<int>{11});
  CHECK(launched[1] == std::vector<int>{11, 12});
  CHECK(launched[2] == std::vector<int>{12});
}

TEST_CASE("function on ranks: another process begins with what is kept, and does not tune") {
  const TemporaryDirectory directory;
  detail::describe_machine("test", [] { return std::string("alike"); });
  for (const int count : {1, 2}) {
    for (const bool first : {true, false}) {
      INFO(count << " ranks, " << (first ? "first" : "second") << " process");
      const Ranks ranks =
          functions_on(count, "fn_kept_" + std::to_string(count), {.cache_directory = directory.path()},
                       [](int, RankFunction& function, const std::vector<int>&) {
                         static_cast<void>(function(5));
                         static_cast<void>(function.with({.fixed = {{"TILE", 2}}}, 5));
                       });
      check_well(ranks.thrown);
      for (const std::vector<int>& used : ranks.used) {
        REQUIRE(used.size() >= 2);
        CHECK(used.back() == 2);
        CHECK((used.size() == 2) == !first);
        CHECK(std::count(used.begin(), used.end(), 3) >= 1);
      }
    }
  }
}

TEST_CASE("function on ranks: keys that differ by rank do not part the ranks") {
  // The iterations are enough for what rank 0 may use under its key, and not for the others.
  PerRank<std::vector<int>> used(3);
  testing::ScriptedWorld world(3);
  check_well(world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const Options options =
        rank_options(communicator, {.max_iterations = 8, .deadline = std::chrono::seconds(5)});
    RankFunction function(
        "fn_rank_keys", tiles(5), [rank](int n) { return make_key(rank, n); },
        [&used, rank](const TileConfig& config, int n) {
          used[rank].push_back(config.tile);
          return n;
        },
        {.keep = [rank](const TileConfig& config, int) { return rank != 0 || config.tile <= 2; },
         .kernel = {.participation = Participation::some},
         .options = options});
    for (int call = 0; call < 5; ++call) {
      static_cast<void>(function(5));
    }
    used[rank].clear();
    const std::int64_t before = world.traffic().collectives;
    static_cast<void>(function(5));
    throw_if<std::runtime_error>(world.traffic().collectives != before, "the ranks meet for ever");
  }));
  CHECK(used[0] == std::vector<int>{2});
  CHECK(used[1].size() == 1);
  CHECK(used[1] == used[2]);
}

}  // namespace contextual::test::function_ranks_test
