#include "report/judging/problem_result.hpp"

#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <algorithm>

namespace problem_result_test {

using namespace contextual::log_report;
using namespace report_test;

namespace record = contextual::record;

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
}

TEST_CASE("analyse: a config has the rates of the lowest rank that knows one, and none of another rank",
          "[unit]") {
  std::vector<std::string> files;
  for (int rank = 0; rank < 3; ++rank) {
    files.push_back(
        lines_of(changed<record::ConfigSummary>(events_of({.ranks = 3}, rank), [&](auto& summary) {
          if (rank > 0) {  // rank 0 does not count
            summary.gigabytes_per_second = 100.0 + rank;
          }
          if (rank == 2) {
            summary.teraflops_per_second = 7;
          }
        })));
  }
  const Analysed run = analysed(files);
  const ConfigResult& config = run.analysis.problems.at(0).configs.at(1);
  CHECK(config.gigabytes_per_second == 101.0);
  CHECK_FALSE(config.teraflops_per_second);
  CHECK_FALSE(run.analysis.problems.at(1).configs.at(0).teraflops_per_second);
}

TEST_CASE("analyse: rejected configs have their reason, ids without a line are not measured", "[unit]") {
  Events events = events_of({.ranks = 1}, 0);
  record::Event event = *std::find_if(events.begin(), events.end(), [](const record::Event& each) {
    return std::holds_alternative<record::Choice>(each.body);
  });
  const record::ProblemName problem = std::get<record::Choice>(event.body).config.problem;
  event.body = record::Rejected{.config = {problem, 7, {}}, .reason = "rank 0: too much shared memory"};
  events.insert(events.begin() + 5, event);
  const Analysed run = analysed({lines_of(events)});
  const ProblemResult& gemm = run.analysis.problems[0];
  REQUIRE(gemm.find(7) != nullptr);
  CHECK(gemm.find(7)->rejected);
  CHECK(gemm.find(7)->rejection == "rank 0: too much shared memory");
  CHECK(gemm.not_measured == std::vector<Range>{{3, 6}});
}

TEST_CASE("analyse: nothing is said to be left out of a run that began with an earlier choice", "[unit]") {
  Events events = events_of({.ranks = 1}, 0);
  std::erase_if(events, [](const record::Event& event) {
    return !std::holds_alternative<record::RunStart>(event.body) &&
           !std::holds_alternative<record::Choice>(event.body) &&
           !std::holds_alternative<record::RunEnd>(event.body);
  });
  const Analysed run = analysed({lines_of(events)});
  REQUIRE_FALSE(run.analysis.problems.empty());
  for (const ProblemResult& problem : run.analysis.problems) {
    CHECK_FALSE(problem.choices.empty());
    CHECK(problem.not_measured.empty());
  }
}

}  // namespace problem_result_test
