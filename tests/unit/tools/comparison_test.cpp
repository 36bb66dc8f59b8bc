#include "report/analysis.hpp"
#include "report/iteration_table.hpp"
#include "sample_logs.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <functional>
#include <limits>

using namespace contextual::log_report;
using namespace report_test;

namespace store = contextual::store;

namespace {

/// Keeps alive what an analysis looks at.
struct Analysed {
  Logs logs;
  std::vector<TuningRun> runs;
  RunAnalysis analysis;
};

Analysed analysed(const std::vector<std::string>& files) {
  Analysed result{read(files), {}, {}};
  result.runs = join_runs(result.logs);
  REQUIRE(result.runs.size() == 1);
  result.analysis = analyse(result.runs[0], result.logs);
  return result;
}

/// A good run of two ranks in which `change` sees every event of rank 1.
Analysed with_rank_1(const std::function<void(store::Event&)>& change) {
  Events events = events_of({}, 1);
  for (store::Event& event : events) {
    change(event);
  }
  return analysed({lines_of(events_of({}, 0)), lines_of(events)});
}

}  // namespace

TEST_CASE("analyse: samples are the agreed times of the walk's repeats, warm-ups are none", "[unit]") {
  const Analysed run = analysed(files_of({}));
  REQUIRE(run.analysis.problems.size() == 2);
  const ProblemResult& gemm = run.analysis.problems[0];
  CHECK(name_of(*gemm.name) == "gemm (4096, bf16)");
  REQUIRE(gemm.configs.size() == 3);
  CHECK(gemm.configs[0].samples_ns == std::vector<double>{100'100, 100'200});
  CHECK(gemm.configs[0].median_ns == 100'150);
  CHECK_THAT(gemm.configs[0].spread_ns, Catch::Matchers::WithinAbs(74.13, 0.01));
  CHECK(gemm.configs[0].makespan_ns == 201'500);
  CHECK(gemm.configs[1].chosen);
  CHECK(gemm.choices.back()->reason == "fastest by own time, 20.0 % shorter than the default");
  CHECK(run.analysis.contests.size() == 1);
  CHECK(run.analysis.disagreements.empty());
}

TEST_CASE("analyse: rejected configs have their reason, ids without a line are not measured", "[unit]") {
  Events events = events_of({.ranks = 1}, 0);
  auto rejected =
      std::get<store::Choice>(*std::find_if(events.begin(), events.end(), [](const store::Event& event) {
        return std::holds_alternative<store::Choice>(event);
      }));
  store::Rejected event;
  event.run_id = rejected.run_id;
  event.region = rejected.region;
  event.kernel = rejected.kernel;
  event.key = rejected.key;
  event.config_id = 7;
  event.reason = "rank 0: too much shared memory";
  events.insert(events.begin() + 5, event);
  const Analysed run = analysed({lines_of(events)});
  const ProblemResult& gemm = run.analysis.problems[0];
  REQUIRE(gemm.find(7) != nullptr);
  CHECK(gemm.find(7)->rejected);
  CHECK(gemm.find(7)->rejection == "rank 0: too much shared memory");
  CHECK(gemm.not_measured == std::vector<Range>{{3, 6}});
}

TEST_CASE("analyse: the slowest rank is named with its share, for the region and for each kernel", "[unit]") {
  const Analysed run = analysed(files_of({.ranks = 3}));
  REQUIRE(run.analysis.slowness.size() == 3);
  for (const Slowness& slowness : run.analysis.slowness) {
    REQUIRE(slowness.ranks.size() == 3);
    CHECK(slowness.ranks[0].rank == 2);
    CHECK(slowness.ranks[0].slowest_share == 1);
    CHECK(slowness.ranks[0].median_ratio == 1);
    CHECK(slowness.ranks[1].slowest_share == 0);
    CHECK(slowness.ranks[1].median_ratio < 1);
  }
  CHECK(run.analysis.slowness[0].problem == nullptr);
  CHECK(analysed(files_of({.ranks = 1})).analysis.slowness.empty());
}

TEST_CASE("analyse: another choice on one rank is a disagreement that names both", "[unit]") {
  const Analysed run = with_rank_1([](store::Event& event) {
    if (auto* choice = std::get_if<store::Choice>(&event); choice != nullptr && choice->kernel == "gemm") {
      choice->config_id = 2;
    }
  });
  REQUIRE(run.analysis.disagreements.size() == 1);
  CHECK(run.analysis.disagreements[0].what == "choice of gemm (4096, bf16)");
  CHECK(run.analysis.disagreements[0].text == "rank 0: config-1; rank 1: config-2");
}

TEST_CASE("analyse: other agreed times and other configs in an iteration are disagreements", "[unit]") {
  const Analysed run = with_rank_1([](store::Event& event) {
    auto* launch = std::get_if<store::LaunchRow>(&event);
    if (launch != nullptr && launch->kernel == "gemm" && launch->tuning_iteration == 4) {
      launch->agreed_ns = *launch->agreed_ns + 1;
      launch->config_id = 0;
    }
  });
  REQUIRE(run.analysis.disagreements.size() == 2);
  CHECK(run.analysis.disagreements[0].what == "launched configs");
  CHECK(run.analysis.disagreements[0].text ==
        "iteration 4, gemm (4096, bf16): rank 0: config-1 repeat; rank 1: config-0 repeat");
  CHECK(run.analysis.disagreements[1].what == "agreed times");
}

TEST_CASE("analyse: a kernel whose agreed times are every rank's own is local, its choices may differ",
          "[unit]") {
  const auto own = [](store::Event& event) {
    if (auto* launch = std::get_if<store::LaunchRow>(&event); launch != nullptr && launch->kernel == "norm") {
      launch->agreed_ns = launch->local_ns;
    } else if (auto* choice = std::get_if<store::Choice>(&event);
               choice != nullptr && choice->kernel == "norm") {
      choice->config_id = static_cast<std::size_t>(choice->rank);
    }
  };
  std::vector<std::string> files;
  for (int rank = 0; rank < 2; ++rank) {
    Events events = events_of({}, rank);
    std::for_each(events.begin(), events.end(), own);
    files.push_back(lines_of(events));
  }
  const Analysed run = analysed(files);
  CHECK(run.analysis.problems[1].local);
  CHECK_FALSE(run.analysis.problems[0].local);
  CHECK(run.analysis.disagreements.empty());
  CHECK(run.analysis.rank_differences.size() == 1);
}

TEST_CASE("analyse: a rank that stopped earlier does not disagree", "[unit]") {
  const Analysed run = analysed({lines_of(events_of({}, 0)), lines_of(until(events_of({}, 1), 6))});
  CHECK(run.analysis.disagreements.empty());
}

TEST_CASE(
    "table_of: steps of one config and equal rows of the finals are one row, all are there without joining",
    "[unit]") {
  const Analysed run = analysed(files_of({}));
  const IterationTable joined = table_of(run.analysis.view, true, 10);
  REQUIRE(joined.rows.size() == 6);
  CHECK(joined.rows[0].cells == std::vector<std::string>{"config-0 (iter-0..2)", "config-0 (iter-0..2)"});
  CHECK(joined.rows[2].cells == std::vector<std::string>{"config-2 (iter-0..2)", "best: config-0"});
  CHECK(joined.rows[3].phase == "finals");
  CHECK(joined.rows[3].iterations == std::vector<Range>{{9, 9}, {11, 11}, {13, 13}});
  CHECK(joined.rows[5].phase == "final");
  const IterationTable whole = table_of(run.analysis.view, false, 1);
  CHECK(whole.rows.size() == 16);
  CHECK(whole.problems_left_out == 1);
  CHECK(whole.rows[1].cells == std::vector<std::string>{"config-0 (iter-1)"});
}

TEST_CASE("table_of: iterations and steps as large as numbers get neither overflow nor join", "[unit]") {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::string text = lines_of(events_of({.ranks = 1}, 0));
  const auto replace = [&](const std::string& from, std::int64_t to) {
    const std::size_t at = text.find("\"" + from + "\":0");
    text.replace(at, from.size() + 4, "\"" + from + "\":" + std::to_string(to));
  };
  replace("tuning_iteration", largest);
  replace("step_iteration", largest);
  replace("tuning_iteration", largest - 1);
  const Analysed run = analysed({text});
  const IterationTable table = table_of(run.analysis.view, true, 10);
  CHECK(table.rows.back().iterations == std::vector<Range>{{largest, largest}});
}
