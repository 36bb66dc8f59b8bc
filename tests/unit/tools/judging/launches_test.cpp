#include "report/judging/launches.hpp"

#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

namespace launches_test {

using namespace contextual::log_report;
using namespace report_test;

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

TEST_CASE("analyse: warm-ups and lead-ins say nothing about slow ranks", "[unit]") {
  const Analysed run = analysed(files_of({}));
  // 9 iterations of the walk with 3 warm-ups, 6 of the search with 3 lead-ins, and the final run.
  CHECK(run.analysis.slowness[0].iterations == 10);
  CHECK(run.analysis.slowness[1].iterations == 10);  // gemm
  CHECK(run.analysis.slowness[2].iterations == 11);  // norm, which has no warm-up beside gemm's third config
}

}  // namespace launches_test
