/// \file
/// Tuned functions on several ranks, and choices that outlive the process.

#include "support/engine.hpp"
#include "support/ranks.hpp"

#include <contextual/detail/storage/machine.hpp>
#include <contextual/function.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace function_ranks_test {

using namespace contextual;
using namespace contextual::test;
using engine_test::TemporaryDirectory;

namespace {

using RankFunction = TunedFunction<int(const TileConfig&, int)>;

/// What a rank does with a function of its own.
using FunctionBody = std::function<void(int rank, RankFunction& function, const std::vector<int>& used)>;

struct Ranks {
  std::vector<std::vector<int>> used;  ///< by rank: the tile of each run
  std::vector<std::exception_ptr> thrown;
  testing::ScriptedTraffic traffic;
};

/// Ranks that have a function each, of the same name. Later configs are faster.
Ranks functions_on(int count, const std::string& name, const Options& changed, const FunctionBody& body) {
  Ranks ranks;
  ranks.used.resize(static_cast<std::size_t>(count));
  testing::ScriptedWorld world(count);
  ranks.thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    std::vector<int>& used = ranks.used[static_cast<std::size_t>(rank)];
    Options options = rank_options(communicator);
    options.cache_directory = changed.cache_directory;
    options.deadline = changed.deadline;
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

/// The 32 tilings of the GEMM that the examples of the field use.
struct GemmTiling {
  int block_m = 64;
  int block_n = 64;
  int block_k = 32;
  int stages = 2;
  int warps = 4;

  /// Of a tile of A and one of B in 16-bit numbers, for each stage.
  int shared_bytes() const { return (block_m + block_n) * block_k * 2 * stages; }
};

/// One of several groups that a simulated process is in.
class GroupOfProcess final : public Communicator {
 public:
  GroupOfProcess(std::shared_ptr<Communicator> group, std::string process)
      : group_(std::move(group)), process_(std::move(process)) {}

  int rank() const noexcept override { return group_->rank(); }
  int size() const noexcept override { return group_->size(); }
  void all_reduce_max(std::span<std::int64_t> values, Deadline deadline) override {
    group_->all_reduce_max(values, std::move(deadline));
  }
  std::vector<std::string> all_gather(std::string_view bytes, Deadline deadline) override {
    return group_->all_gather(bytes, std::move(deadline));
  }
  std::string describe() const override { return group_->describe(); }
  std::string_view process_scope() const noexcept override { return process_; }

 private:
  std::shared_ptr<Communicator> group_;
  std::string process_;
};

ConfigSpace<GemmTiling> gemm_space() {
  return {{"BLOCK_M", &GemmTiling::block_m, {64, 128}},
          {"BLOCK_N", &GemmTiling::block_n, {64, 128}},
          {"BLOCK_K", &GemmTiling::block_k, {32, 64}},
          {"STAGES", &GemmTiling::stages, {2, 3}},
          {"WARPS", &GemmTiling::warps, {4, 8}}};
}

}  // namespace

TEST_CASE("function on ranks: all ranks tune together and choose alike, then do not communicate", "[unit]") {
  const Ranks ranks = functions_on(
      3, "fn_ranks", {}, [](int, RankFunction& function, const auto&) { static_cast<void>(function(5)); });
  CHECK(count_failed(ranks.thrown) == 0);
  const Ranks again = functions_on(3, "fn_ranks", {}, [](int, RankFunction& function, const auto&) {
    for (int call = 0; call < 10; ++call) {
      static_cast<void>(function(5));
    }
  });
  CHECK(count_failed(again.thrown) == 0);
  for (const std::vector<int>& used : again.used) {
    CHECK(used.size() == 3 * 3 + 1 + 9);
    CHECK(used.back() == 3);
  }
  CHECK(again.traffic.collectives == ranks.traffic.collectives);
}

TEST_CASE("function on ranks: one that throws on a rank fails on all of them, and can be called again",
          "[unit]") {
  std::vector<std::string> errors(2);
  std::vector<int> results(2);
  const auto body = [&](int rank, RankFunction& function, const std::vector<int>&) {
    try {
      static_cast<void>(function(rank == 1 ? -1 : 5));
    } catch (const std::exception& error) {
      errors[static_cast<std::size_t>(rank)] = error.what();
    }
    results[static_cast<std::size_t>(rank)] = function(5);
  };
  const Ranks ranks = functions_on(2, "fn_rank_mismatch", {}, body);
  CHECK(count_failed(ranks.thrown) == 0);
  // Keys differ: all ranks are told so, with the ranks.
  CHECK_THAT(errors[0], ContainsSubstring("fn_rank_mismatch") && ContainsSubstring("rank"));
  CHECK_THAT(errors[1], ContainsSubstring("fn_rank_mismatch") && ContainsSubstring("rank"));
  CHECK(results == std::vector<int>{15, 15});
}

TEST_CASE("function on ranks: a config that throws on one rank is out on all of them", "[unit]") {
  std::vector<int> used(2);
  std::vector<std::string> reasons(2);
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto at = static_cast<std::size_t>(rank);
    Options options = rank_options(communicator);
    options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
      return 100'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
    });
    auto function = autotune("fn_throws_on_rank", engine_test::blocks(3), single_problem,
                             [&](const engine_test::Block& block) {
                               if (rank == 1 && block.block == 2) {
                                 throw std::runtime_error("no room on this rank");
                               }
                               return block.block;
                             },
                             {.options = options});
    used[at] = function();
    const Report report = function.report();
    reasons[at] = report.runs.back().problems.front().configs[2].rejection.value_or("");
  });
  CHECK(count_failed(thrown) == 0);
  CHECK(used == std::vector<int>{1, 1});
  CHECK_THAT(reasons[0], ContainsSubstring("rank 1") && ContainsSubstring("no room on this rank"));
}

TEST_CASE("function on ranks: a group that a call names tunes for itself", "[unit]") {
  std::vector<std::vector<int>> used(2);
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto at = static_cast<std::size_t>(rank);
    int shared_too_large = 0;
    Options options = rank_options(nullptr);
    options.timer = testing::scripted_timer([](const LaunchInfo& launch) {
      return 100'000 - 1'000 * static_cast<std::int64_t>(launch.config_id);
    });
    auto gemm = autotune(
        "fn_gemm", gemm_space(), [](int m, int n, int k) { return make_key(m, n, k); },
        [&](const GemmTiling& tiling, int, int, int) {
          used[at].push_back(tiling.shared_bytes());
          shared_too_large += tiling.shared_bytes() > 48 * 1024 ? 1 : 0;
          return tiling.shared_bytes();
        },
        {.keep = [](const GemmTiling& tiling, int, int, int) { return tiling.shared_bytes() <= 48 * 1024; },
         .kernel = {.key_names = {"M", "N", "K"}},
         .options = options});
    if (gemm.space().size() != 32) {
      throw std::runtime_error("not 32 configs");
    }
    const CallOptions group{.communicator = communicator};
    const int chosen = gemm.with(group, 4096, 4096, 4096);
    used[at].push_back(gemm.with(group, 4096, 4096, 4096) == chosen ? 1 : 0);
    if (shared_too_large != 0) {
      throw std::runtime_error("a config that `keep` leaves out was used");
    }
  });
  CHECK(text_of(thrown[0]).empty());
  CHECK(text_of(thrown[1]).empty());
  // 24 configs fit, each with 1 warm-up and 2 repeats; then the final run, a later call and its mark.
  CHECK(used[0].size() == 24 * 3 + 1 + 1 + 1);
  CHECK(used[0] == used[1]);
  CHECK(used[0].back() == 1);
}

TEST_CASE("function: a choice with one communicator is not used with another one", "[unit]") {
  std::vector<int> runs(2);
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    int& count = runs[static_cast<std::size_t>(rank)];
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
  });
  CHECK(text_of(thrown[0]).empty());
  CHECK(text_of(thrown[1]).empty());
  CHECK(runs == std::vector<int>{2, 2});
}

TEST_CASE("function on ranks: groups of one size choose apart, and their ranks launch alike afterwards",
          "[unit]") {
  // Rank 1 is in both groups. In the second one another config of the kernel is fastest.
  std::vector<std::vector<int>> launched(3);  // tens: the function's config, ones: its kernel's
  testing::ScriptedWorld one(2);
  testing::ScriptedWorld other(2);
  const auto in_group = [](testing::ScriptedWorld& world, int rank, const std::string& process) {
    return std::make_shared<GroupOfProcess>(world.communicator(rank), "fn_groups process " + process);
  };
  const std::array<std::shared_ptr<Communicator>, 3> first{in_group(one, 0, "0"), in_group(one, 1, "1"),
                                                           nullptr};
  const std::array<std::shared_ptr<Communicator>, 3> second{nullptr, in_group(other, 0, "1"),
                                                            in_group(other, 1, "2")};
  std::vector<std::string> errors(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([&, rank] {
      int group = 0;
      Options options = rank_options(nullptr);
      options.search = SearchLevel::off;
      options.timer = testing::scripted_timer([&group](const LaunchInfo& launch) -> std::int64_t {
        return launch.config_id == static_cast<std::size_t>(group) ? 1'000 : 9'000;
      });
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

TEST_CASE("function on ranks: another process begins with what is kept, and does not tune", "[unit]") {
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
      CHECK(count_failed(ranks.thrown) == 0);
      for (const std::vector<int>& used : ranks.used) {
        REQUIRE(used.size() >= 2);
        CHECK(used.back() == 2);
        CHECK((used.size() == 2) == !first);
        CHECK(std::count(used.begin(), used.end(), 3) >= 1);
      }
    }
  }
}

TEST_CASE("function on ranks: keys that differ by rank do not part the ranks", "[unit]") {
  // The iterations are enough for what rank 0 may use under its key, and not for the others.
  std::vector<std::vector<int>> used(3);
  testing::ScriptedWorld world(3);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    const auto at = static_cast<std::size_t>(rank);
    Options options = rank_options(communicator);
    options.max_iterations = 8;
    options.deadline = std::chrono::seconds(5);
    RankFunction function(
        "fn_rank_keys", tiles(5), [rank](int n) { return make_key(rank, n); },
        [&used, at](const TileConfig& config, int n) {
          used[at].push_back(config.tile);
          return n;
        },
        {.keep = [rank](const TileConfig& config, int) { return rank != 0 || config.tile <= 2; },
         .kernel = {.participation = Participation::some},
         .options = options});
    for (int call = 0; call < 5; ++call) {
      static_cast<void>(function(5));
    }
    used[at].clear();
    const std::int64_t before = world.traffic().collectives;
    static_cast<void>(function(5));
    if (world.traffic().collectives != before) {
      throw std::runtime_error("the ranks meet for ever");
    }
  });
  INFO(text_of(thrown[0]) << "; " << text_of(thrown[1]));
  CHECK(count_failed(thrown) == 0);
  CHECK(used[0] == std::vector<int>{2});
  CHECK(used[1].size() == 1);
  CHECK(used[1] == used[2]);
}

}  // namespace function_ranks_test
