#include "report/html/html_report.hpp"
#include "report/html/svg.hpp"
#include "support/engine.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <cmath>
#include <functional>
#include <limits>

namespace plots_test {

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
  CHECK_THAT(plot, ContainsSubstring("<title>gemm 1, norm 0: 205.0 us +- 700 ns; chosen</title>"));
  CHECK_THAT(plot, ContainsSubstring("<title>gemm 0, norm 0: 230.0 us +- 600 ns; all defaults</title>"));
  CHECK_THAT(plot, ContainsSubstring("; within noise, best by own times</title>"));
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

TEST_CASE("Axis: any values give finite positions inside", "[unit]") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{0, 0},
                                                                        {5, 5},
                                                                        {1, 1e18},
                                                                        {-1, 1},
                                                                        {1e-300, 1e300},
                                                                        {infinity, -infinity},
                                                                        {3, 2},
                                                                        {0, 1e308},
                                                                        {-1e308, 1e308}}) {
    const Axis axis(low, high, 10, 20);
    for (const double value : {low, high, 0.0, -1e308, 1e308, infinity, std::nan("")}) {
      INFO(low << " to " << high << " at " << value);
      CHECK(axis.position(value) >= 10);
      CHECK(axis.position(value) <= 20);
    }
    for (const Axis::Tick& tick : axis.ticks(5)) {
      CHECK(std::isfinite(tick.value));
    }
  }
}

TEST_CASE("Axis: a tick stands where its value does", "[unit]") {
  for (const double high : {2.0, 1e4}) {  // linear, logarithmic
    const Axis axis(1, high, 0, 100);
    CHECK(axis.logarithmic() == (high > 2));
    for (const Axis::Tick& tick : axis.ticks(5)) {
      CHECK(axis.position(tick.value) == Approx(tick.position).margin(1e-9));
    }
    CHECK(axis.ticks(5).back().value == Approx(high));
  }
}

}  // namespace plots_test
