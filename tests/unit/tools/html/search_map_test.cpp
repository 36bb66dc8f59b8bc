#include "report/html/plots.hpp"
#include "support/engine.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <functional>

namespace search_map_test {

using namespace contextual::log_report;
using namespace report_test;
using contextual::ChosenBy;
using engine_test::count_of;

namespace {

std::string map_of(const std::function<void(SearchResult&)>& change = [](SearchResult&) {}) {
  const Analysed run = analysed(files_of({}));
  SearchResult result = *run.analysis.searches[0].result;
  change(result);
  return search_map(view_of(result));
}

}  // namespace

TEST_CASE("search_map: a cell for each measured or infeasible set, with what it is in its title", "[unit]") {
  const std::string map = map_of();
  CHECK_THAT(map, ContainsSubstring("data-plot=\"search\" data-marks=\"4\""));
  CHECK_THAT(map, ContainsSubstring("<title>gemm 1, norm 0: 205.0 us +- 700 ns, samples: 5; chosen</title>"));
  CHECK_THAT(map, ContainsSubstring("<title>gemm 0, norm 0: 230.0 us +- 600 ns, samples: 4, +12.2 % to the "
                                    "choice; all defaults</title>"));
  CHECK_THAT(map,
             ContainsSubstring("samples: 4, +0.2 % to the choice; within noise; best by own times</title>"));
  CHECK_THAT(map,
             ContainsSubstring("<title>gemm 2, norm 0: infeasible: rank 1: no progress in 1000 ms</title>"));
  CHECK_THAT(map, ContainsSubstring(">across: config of gemm, down: of norm</text>"));
  CHECK(count_of(map, "class=\"cell near0\"") == 2);  // the choice, and what ties with it
  CHECK(count_of(map, "class=\"cell near3\"") == 1);
  CHECK(count_of(map, "class=\"cell infeasible\"") == 1);
  CHECK(count_of(map, "class=\"outline chosen\"") == 1);
  CHECK(count_of(map, "class=\"outline tie\"") == 1);
  CHECK(count_of(map, "<circle class=\"at-defaults\"") == 1);
  CHECK(count_of(map, "<circle class=\"at-own-time\"") == 1);
  CHECK_THAT(map, ContainsSubstring(
                      "aria-label=\"Measured sets: the region&#39;s time in % to the choice, by config "
                      "of gemm (columns) and norm (rows)\""));
}

TEST_CASE("search_map: of more than two problems, those with the most configs; the shortest of the others",
          "[unit]") {
  const std::string map = map_of([](SearchResult& search) {
    search.problems.push_back({nullptr, ChosenBy::makespan, 0, 0});
    for (MeasuredAssignment& each : search.measured) {
      each.config_ids.push_back(0);
    }
    search.infeasible[0].config_ids.push_back(0);
    search.measured.push_back({{1, 3, 0}, 2, 300'000, 1, Standing::other});
    search.measured.push_back({{0, 0, 1}, 2, 210'000, 1, Standing::other});
  });
  CHECK_THAT(map,
             ContainsSubstring("by config of norm (columns) and gemm (rows); of several configs of the other "
                               "problems, the shortest one"));
  CHECK_THAT(map, ContainsSubstring("<title>gemm 0, norm 0, ? 1: 210.0 us"));
  CHECK(count_of(map, "class=\"mark\"") == 5);
}

TEST_CASE("search_map: the rest as chosen, one row for one problem, nothing where no problem is a member",
          "[unit]") {
  const auto only_gemm = [](SearchResult& search) {
    search.problems[1].chosen_by = ChosenBy::own_time;
    search.problems[1].own_time_config_id = 0;
    search.measured.pop_back();
  };
  const std::string map = map_of(only_gemm);
  CHECK_THAT(map, ContainsSubstring("by config of gemm; the other problems as chosen"));
  CHECK(map.find("(rows)") == std::string::npos);
  CHECK(map_of([&](SearchResult& search) {
          only_gemm(search);
          search.problems[0].chosen_by = ChosenBy::own_time;
        }).empty());
}

TEST_CASE("search_map: all defaults that are infeasible or not measured are marked as such", "[unit]") {
  CHECK_THAT(map_of([](SearchResult& search) {
               search.infeasible.push_back({{0, 0}, "starved"});
             }),
             ContainsSubstring("; all defaults (infeasible)</title>"));
  CHECK_THAT(map_of([](SearchResult& search) { search.measured.erase(search.measured.begin()); }),
             ContainsSubstring("<title>gemm 0, norm 0; all defaults (not measured)</title>"));
}

TEST_CASE("search_map: where the choice was not measured, times are relative to the shortest one", "[unit]") {
  CHECK_THAT(map_of([](SearchResult& search) { search.measured[1].standing = Standing::other; }),
             ContainsSubstring("time in % to the shortest one"));
}

TEST_CASE("search_map: its size is bounded, the longest sets are left out", "[unit]") {
  const std::string map = map_of([](SearchResult& search) {
    for (std::int64_t id = 0; id < 2'000; ++id) {
      search.measured.push_back(
          {{1'000'000 - id, id % 50}, 2, 300'000.0 + static_cast<double>(id), 1, Standing::other});
    }
  });
  CHECK(count_of(map, "class=\"mark\"") <= 24 * 24);
  CHECK(map.size() < 200'000);
  CHECK_THAT(map, ContainsSubstring("configs of longer sets left out"));
  CHECK_THAT(map, ContainsSubstring("; chosen</title>"));
}

}  // namespace search_map_test
