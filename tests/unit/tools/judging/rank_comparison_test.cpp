#include "report/judging/rank_comparison.hpp"

#include "support/catch.hpp"
#include "unit/tools/judging/analysed.hpp"

#include <algorithm>
#include <functional>

namespace rank_comparison_test {

using namespace contextual::log_report;
using namespace report_test;

namespace record = contextual::record;

namespace {

/// A good run of two ranks in which `change` sees every such event of rank 1 on gemm.
template <typename E>
Analysed with_rank_1(const std::function<void(E&)>& change) {
  const Events events = changed<E>(events_of({}, 1), [&](E& event) {
    if (event.config.problem.kernel == "gemm") {
      change(event);
    }
  });
  return analysed({lines_of(events_of({}, 0)), lines_of(events)});
}

}  // namespace

TEST_CASE("analyse: another choice on one rank is a disagreement that names both", "[unit]") {
  const Analysed run = with_rank_1<record::Choice>([](auto& choice) { choice.config.id = 2; });
  REQUIRE(run.analysis.disagreements.size() == 1);
  CHECK(run.analysis.disagreements[0].what == "choice of gemm (4096, bf16)");
  CHECK(run.analysis.disagreements[0].text == "rank 0: config-1; rank 1: config-2");
}

TEST_CASE("analyse: a rank that stopped earlier does not disagree", "[unit]") {
  const Analysed run = analysed({lines_of(events_of({}, 0)), lines_of(until(events_of({}, 1), 6))});
  CHECK(run.analysis.disagreements.empty());
}

}  // namespace rank_comparison_test
