#include "contextual/measure/run_amount.hpp"

#include "support/catch.hpp"

namespace contextual::measure::run_amount_test {

using namespace std::chrono_literals;

TEST_CASE("RunAmount: a number of runs, whatever they take") {
  const BenchRuns runs = 10;
  RunAmount amount(runs);
  CHECK(amount.left(1h) == 10);
  amount.count(4, 1h);
  CHECK(amount.left(1ns) == 6);
  CHECK(amount.done() == 4);
  amount.count(9, 0ns);
  CHECK(amount.left(1ns) == 0);
}

TEST_CASE("RunAmount: a duration is over when it has been spent, however it was judged") {
  const BenchRuns runs = 100ms;
  RunAmount amount(runs);
  CHECK(amount.left(1ms) == 100);
  amount.count(50, 5ms);  // shorter than judged
  CHECK(amount.left(100us) == 950);
  amount.count(700, 95ms);
  CHECK(amount.left(100us) == 0);
}

TEST_CASE("RunAmount: a duration is at least one run and at most ten thousand") {
  const BenchRuns runs = 100ms;
  RunAmount amount(runs);
  CHECK(amount.left(1h) == 1);
  CHECK(amount.left(1ns) == RunAmount::most);
  amount.count(0, 1h);  // all were lost
  CHECK(amount.left(1h) == 1);
  amount.count(9'990, 0ns);
  CHECK(amount.left(1ns) == 0);
  RunAmount quick(runs);
  quick.count(9'990, 1ms);
  CHECK(quick.left(1ns) == 10);
  quick.count(10, 1ms);
  CHECK(quick.left(1ns) == 0);
}

}  // namespace contextual::measure::run_amount_test
