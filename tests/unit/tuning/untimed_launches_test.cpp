/// \file
/// A timer that does not time launches in the search.

#include "support/log_events.hpp"
#include "unit/tuning/changed_options.hpp"

namespace contextual::test::untimed_launches_test {

namespace {

/// Leaves the launches of some kernels without a time where the batch asks for none. Notes what batches ask.
class LeavingTimer final : public testing::ForwardingTimer {
 public:
  LeavingTimer(std::unique_ptr<Timer> timer, bool leaves, std::vector<bool>& asked)
      : ForwardingTimer(std::move(timer)), leaves_(leaves), asked_(asked) {}

  void begin_batch(const BatchStart& start) override {
    untimed_ = leaves_ && !start.launches_timed;
    asked_.push_back(start.launches_timed);
  }
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    ForwardingTimer::settle(launches, iterations, std::move(deadline));
    for (LaunchTiming& launch : launches) {
      if (untimed_) {
        launch.spans.clear();
        launch.untimed = true;
      }
    }
  }

 private:
  bool leaves_;
  bool untimed_ = false;
  std::vector<bool>& asked_;
};

/// Config 1 is the shortest, though its own time is the longest. All launches overlap.
TimerFactory makespans_decide() {
  return testing::scripted_timer_with(
      {.launch_ns = [](const LaunchInfo& launch) -> std::int64_t {
         return launch.config_id == 1 ? 90'000 : 50'000;
       },
       .makespan_ns = [](std::int64_t, const std::vector<testing::ScriptedLaunch>& launches) -> std::int64_t {
         std::int64_t makespan_ns = 100'000;
         for (const testing::ScriptedLaunch& launch : launches) {
           makespan_ns += launch.config_id == 1 ? 0 : 20'000;
         }
         return makespan_ns;
       }});
}

struct Ranks {
  PerRank<RegionReport> reports;
  PerRank<std::vector<bool>> asked;  ///< by rank, by batch: that launches are timed
  bool failed = false;
};

/// `leaves`: by rank, whether its timer times no launches in the search.
Ranks tune(const std::vector<bool>& leaves, const std::filesystem::path& logs) {
  const int count = static_cast<int>(leaves.size());
  const RankKernels first = kernel_per_rank(count, [](int) { return rank_kernel("untimed-first", 3); });
  const RankKernels second = kernel_per_rank(count, [](int) { return rank_kernel("untimed-second", 3); });
  Ranks ranks;
  ranks.reports.resize(leaves.size());
  ranks.asked.resize(leaves.size());
  const auto thrown = on_ranks(count, [&](int rank, ContextualAutotuner&, const auto& all) {
    const auto at = static_cast<std::size_t>(rank);
    const Options options = rank_options(
        all, {.search = SearchLevel::normal, .always_tune = true, .log_directory = logs, .timer = [&, at] {
                return std::make_unique<LeavingTimer>(makespans_decide()(), leaves[at], ranks.asked[rank]);
              }});
    const RegionReport report = tuned(options, "untimed", [&] { first(rank, 1), second(rank, 1); });
    ranks.reports[rank] = report;
  });
  ranks.failed = count_failed(thrown) > 0;
  return ranks;
}

}  // namespace

TEST_CASE("untimed launches: the search goes by makespans alone, on all ranks") {
  const std::vector<bool> leaves =
      GENERATE(std::vector<bool>{true}, std::vector<bool>{true, true}, std::vector<bool>{false, true});
  const TemporaryDirectory logs;
  const Ranks ranks = tune(leaves, logs.path());
  REQUIRE_FALSE(ranks.failed);
  for (const RegionReport& report : ranks.reports) {
    CHECK(report.retakes == 0);
    REQUIRE(report.problems.size() == 2);
    for (const ProblemReport& problem : report.problems) {
      CHECK(problem.choice == 1);
      CHECK(problem.configs[1].time.count > 0);  // of the walk
      CHECK(problem.time_in_choice.count == 0);  // of the search, which no rank's own time is
    }
  }
}

TEST_CASE("untimed launches: asked for in the walk and in the final run; the log says ok, without a time") {
  const TemporaryDirectory logs;
  const Ranks ranks = tune({true}, logs.path());
  REQUIRE_FALSE(ranks.failed);
  const std::vector<bool>& asked = ranks.asked[0];
  const auto first_of_search = std::find(asked.begin(), asked.end(), false);
  REQUIRE(first_of_search != asked.begin());
  REQUIRE(first_of_search != asked.end());
  CHECK(std::find(first_of_search, asked.end(), true) == asked.end() - 1);
  CHECK(asked.back());
  for (const nlohmann::json& launch : events_in(logs.path(), 0, "launch")) {
    CAPTURE(launch.dump());
    const bool search = launch.at("phase").get<std::string>() == "search";
    CHECK(launch.at("status").get<std::string>() == "ok");
    CHECK(launch.at("detail").get<std::string>() == (search ? "not timed in the search" : ""));
    CHECK(launch.at("local_time_ns").is_null() == search);
    CHECK(launch.at("agreed_time_ns").is_null() == (search || launch.at("phase") == "final"));
    CHECK_FALSE(launch.at("makespan_ns").is_null());
  }
  // What was measured in the search has a timeline if it has run outside of it, too.
  for (const nlohmann::json& timeline : events_in(logs.path(), 0, "timeline")) {
    CHECK(timeline.at("phase").get<std::string>() != "search");
    CHECK(timeline.at("launches").size() == 2);
  }
  CHECK(events_in(logs.path(), 0, "timeline").size() == 2);
}

}  // namespace contextual::test::untimed_launches_test
