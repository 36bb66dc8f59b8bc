#include "support/log_events.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::rank_logs_test {

namespace {

constexpr int ranks = 3;

/// Runs `region` once a rank with logs in `directory`, and swallows what it throws.
void run_logged(
    const std::filesystem::path& directory, const std::function<void(int rank)>& region,
    const std::function<void(int rank, Options&)>& change = [](int, Options&) {}) {
  on_ranks(ranks, [&](int rank, ContextualAutotuner& tuner, const auto& communicator) {
    Options options = rank_options(communicator, {.log_directory = directory});
    change(rank, options);
    tuner.run(
        "region", [&] { region(rank); }, options);
  });
}

}  // namespace

TEST_CASE("logs of several ranks: the tuning id is equal on all ranks and new in every run") {
  const TemporaryDirectory directory;
  const auto kernel = rank_kernel("logged", 2);
  run_logged(directory.path(), [&](int) { (*kernel)(1); });
  run_logged(directory.path(), [&](int) { (*kernel)(2); });
  const auto first = events_in(directory.path(), 0, "hello");
  REQUIRE(first.size() == 2);
  CHECK(first[0].at("tuning_id") != first[1].at("tuning_id"));
  for (int rank = 1; rank < ranks; ++rank) {
    const auto hello = events_in(directory.path(), rank, "hello");
    REQUIRE(hello.size() == 2);
    CHECK(hello[0].at("tuning_id") == first[0].at("tuning_id"));
    CHECK(hello[1].at("tuning_id") == first[1].at("tuning_id"));
  }
}

TEST_CASE("logs of several ranks: a failed run says where it ended, by what, and which rank to look at") {
  const TemporaryDirectory directory;
  const auto kernel = rank_kernel("logged-failure", 3);
  PerRank<int> runs(ranks);
  run_logged(directory.path(), [&](int rank) {
    (*kernel)(1);
    throw_if<std::logic_error>(++runs[rank] == 5 && rank == 1, "broke");
  });
  for (int rank = 0; rank < ranks; ++rank) {
    const auto end = events_in(directory.path(), rank, "run_end");
    CHECK(only(end).at("status").get<std::string>() == "failed");
    CHECK(end[0].at("error_type").get<std::string>() == (rank == 1 ? "region" : "RegionFailedError"));
    CHECK(end[0].at("blamed_ranks").get<std::vector<int>>() == std::vector<int>{1});
    CHECK(end[0].at("phase").get<std::string>() == "walk");
    CHECK(end[0].at("tuning_iteration").get<int>() >= 4);
  }
}

TEST_CASE("logs of several ranks: a run that ends before its first iteration is logged too") {
  const TemporaryDirectory directory;
  const auto kernel = rank_kernel("logged-mismatch", 3);
  run_logged(
      directory.path(), [&](int) { (*kernel)(1); },
      [](int rank, Options& options) { options.n_repeat = rank == 2 ? 7 : 2; });
  for (int rank = 0; rank < ranks; ++rank) {
    CHECK(events_in(directory.path(), rank, "hello").empty());
    const auto end = events_in(directory.path(), rank, "run_end");
    CHECK(only(end).at("error_type").get<std::string>() == "RankMismatchError");
    CHECK(end[0].at("blamed_ranks").get<std::vector<int>>() == std::vector<int>{2});
    CHECK(end[0].at("phase").get<std::string>() == "hello");
  }
}

TEST_CASE("logs of several ranks: a launch has the makespan of its own rank beside the agreed one") {
  const TemporaryDirectory directory;
  const auto kernel = rank_kernel("logged-makespan", 1);
  run_logged(
      directory.path(), [&](int) { (*kernel)(1); },
      [](int rank, Options& options) {
        options.timer = testing::scripted_timer([rank](const LaunchInfo&) { return 1000 * (rank + 1); });
      });
  for (int rank = 0; rank < ranks; ++rank) {
    const auto launches = events_in(directory.path(), rank, "launch");
    REQUIRE_FALSE(launches.empty());
    CHECK(launches[0].at("local_makespan_ns").get<int>() == 1000 * (rank + 1));
    CHECK(launches[0].at("makespan_ns").get<int>() == 1000 * ranks);
  }
}

TEST_CASE("a rank on which all configs fail logs why, and its end, before the exchange") {
  const TemporaryDirectory directory;
  const auto kernels = kernel_per_rank(2, [](int rank) {
    return rank_kernel("all_fail", 2, {},
                       [rank](const TileConfig&, int&) { throw_if<ConfigRejected>(rank == 1, "planted"); });
  });
  testing::ScriptedWorld world(2);
  world.drop(1,
             1);  // the exchange after the first batch: the other rank is lost in its region's communication
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    ContextualAutotuner tuner(rank_options(
        communicator, {.deadline = std::chrono::milliseconds(200), .log_directory = directory.path()}));
    tuner.run("all_fail", [&] { kernels(rank, 1); });
  });
  CHECK(threw<TuningFailedError>(thrown[1]));
  int rejected = 0;
  bool ended = false;
  for (const nlohmann::json& event : events_in(directory.path(), 1)) {
    rejected += event.at("event") == "rejected" ? 1 : 0;
    if (event.at("event") == "run_end") {
      ended = true;
      CHECK(event.at("error_type") == "TuningFailedError");
      CHECK(event.at("blamed_ranks") == nlohmann::json::array({1}));
      CHECK(rejected == 2);
    }
  }
  CHECK(ended);
}

TEST_CASE("where all ranks throw because all configs fail on one, the others' logs blame it") {
  const TemporaryDirectory directory;
  const auto outcome = tune_kernels(
      3, [](int rank) { return rank_kernel("all_fail_told", 1, {}, refuse_tile(rank == 2, 1, "planted")); },
      [&](int, Options& options) { options.log_directory = directory.path(); });
  for (int rank = 0; rank < 3; ++rank) {
    CHECK(threw<TuningFailedError>(outcome.thrown[static_cast<std::size_t>(rank)]));
    const nlohmann::json end = events_in(directory.path(), rank).back();
    CHECK(end.at("event") == "run_end");
    CHECK(end.at("blamed_ranks") == nlohmann::json::array({2}));
  }
}

}  // namespace contextual::test::rank_logs_test
