#include "contextual/agreement/makespan_sums.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace makespan_sums_test {

using namespace contextual::policy;
using contextual::agreement::unexplained_makespans;

namespace {

using Time = std::optional<std::int64_t>;

struct Batch {
  std::vector<IterationPlan> plan;
  std::vector<IterationOutcome> iterations;

  /// A sample of each problem, which all use the config.
  Batch& add(Time makespan_ns, const std::vector<Time>& times_ns, std::size_t config = 0,
             bool warmup = false) {
    IterationPlan& planned = plan.emplace_back();
    IterationOutcome& iteration = iterations.emplace_back();
    iteration.makespan_ns = makespan_ns;
    for (const Time& time_ns : times_ns) {
      planned.cells.push_back({Cell::Role::step, config, 0, warmup});
      iteration.cells.push_back({true, time_ns});
    }
    return *this;
  }
  std::vector<bool> unexplained() const { return unexplained_makespans(plan, iterations); }
};

using ByProblem = std::vector<bool>;

}  // namespace

TEST_CASE("makespan sums: a makespan is explained within a tenth, from below and from above", "[unit]") {
  CHECK(Batch().add(1'000, {400, 500}).unexplained() == ByProblem{false, false});
  CHECK(Batch().add(1'000, {400, 499}).unexplained() == ByProblem{true, true});
  CHECK(Batch().add(1'000, {600, 500}).unexplained() == ByProblem{false, false});
  CHECK(Batch().add(1'000, {600, 501}).unexplained() == ByProblem{true, true});
}

TEST_CASE("makespan sums: noise between two launches is not the rule, but with one config it may be",
          "[unit]") {
  Batch batch;
  batch.add(1'000, {1'000}).add(9'000, {1'000});
  CHECK(batch.unexplained() == ByProblem{false});
  batch.add(1'000, {1'000}).add(1'000, {500}, 1).add(1'000, {500}, 1).add(1'000, {1'000}, 1);
  CHECK(batch.unexplained() == ByProblem{true});
}

TEST_CASE("makespan sums: only samples count", "[unit]") {
  CHECK(Batch().add(9'000, {1'000}, 0, true).unexplained() == ByProblem{false});
  CHECK(Batch().add(std::nullopt, {1'000}).unexplained() == ByProblem{false});
  CHECK(Batch().add(1'000, {std::nullopt, 1'000}).unexplained() == ByProblem{false, false});
  Batch joined;
  joined.add(9'000, {1'000, 1'000});
  joined.plan.front().cells.pop_back();  // the second one is first seen here
  CHECK(joined.unexplained() == ByProblem{true, false});
  CHECK(Batch().unexplained().empty());
}

}  // namespace makespan_sums_test
