#include "report/judging/slowness.hpp"

#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

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
