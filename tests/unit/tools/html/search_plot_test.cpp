#include "report/html/plots.hpp"
#include "support/engine.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <functional>

namespace search_plot_test {

using namespace contextual::log_report;
using namespace report_test;
using engine_test::count_of;

namespace {

std::string plot_of(const std::function<void(SearchResult&)>& change = [](SearchResult&) {}) {
  const Analysed run = analysed(files_of({}));
  SearchResult result = *run.analysis.searches[0].result;
  change(result);
  return search_plot(view_of(result), run.analysis.problems);
}

}  // namespace

TEST_CASE("search_plot: a row for each measured or infeasible set, labeled by values, all of it in its title",
          "[unit]") {
  const std::string plot = plot_of();
  CHECK_THAT(plot, ContainsSubstring("data-plot=\"search\" data-marks=\"4\""));
  CHECK_THAT(plot, ContainsSubstring(
                       ">gemm {BLOCK_N: 128, IMPL: mma}, norm {BLOCK_N: 64, IMPL: mma} (chosen)</text>"));
  CHECK_THAT(plot,
             ContainsSubstring(
                 ">gemm {BLOCK_N: 64, IMPL: mma}, norm {BLOCK_N: 64, IMPL: mma} (all defaults)</text>"));
  CHECK_THAT(plot,
             ContainsSubstring("<title>gemm 1, norm 0: 205.0 us +- 700 ns, samples: 5; chosen</title>"));
  CHECK_THAT(plot, ContainsSubstring("<title>gemm 0, norm 0: 230.0 us +- 600 ns, samples: 4, +12.2 % to the "
                                     "choice; all defaults</title>"));
  CHECK_THAT(plot, ContainsSubstring("+0.2 % to the choice; within noise, best by own times</title>"));
  CHECK_THAT(plot,
             ContainsSubstring("<title>gemm 2, norm 0: infeasible: rank 1: no progress in 1000 ms</title>"));
  CHECK(count_of(plot, "class=\"row chosen\"") == 1);
  CHECK(count_of(plot, "<circle class=\"median") == 3);
  CHECK_THAT(plot, !ContainsSubstring("config-"));
}

TEST_CASE("search_plot: nothing where no two sets were measured", "[unit]") {
  CHECK(plot_of([](SearchResult& search) { search.measured.resize(1); }).empty());
}

TEST_CASE("search_plot: its size is bounded, the longest sets are left out and counted", "[unit]") {
  static const std::string long_reason(10'000, 'x');
  const std::string plot = plot_of([](SearchResult& search) {
    for (std::int64_t id = 0; id < 2'000; ++id) {
      search.measured.push_back(
          {{1'000'000 - id, id % 50}, 2, 300'000.0 + static_cast<double>(id), 1, Standing::other});
      search.infeasible.push_back({{1'000'000 - id, id % 50}, long_reason});
    }
  });
  CHECK(count_of(plot, "class=\"mark\"") <= 64);
  CHECK(plot.size() < 100'000);
  CHECK_THAT(plot, ContainsSubstring(", 48 of 2003\""));
  CHECK_THAT(plot, ContainsSubstring("gemm config-1000000, norm "));  // a config that no line names
  CHECK_THAT(plot, ContainsSubstring("(chosen)</text>"));
}

}  // namespace search_plot_test
