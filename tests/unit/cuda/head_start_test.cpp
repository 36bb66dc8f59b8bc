/// \file
/// How far the host gets ahead of the devices before a batch.

#include "contextual/cuda/timing/head_start.hpp"

#include "support/catch.hpp"

namespace contextual::cuda::head_start_test {

using namespace std::chrono_literals;

namespace {

std::vector<IterationCost> batch(std::size_t count, std::chrono::nanoseconds host,
                                 std::chrono::nanoseconds device) {
  return std::vector<IterationCost>(count, IterationCost{host, device});
}

}  // namespace

TEST_CASE("head start: none where nothing is known") {
  CHECK(head_start_for({}) == 0ns);
  CHECK(head_start_for(batch(8, 40us, 0ns)) == 0ns);
}

TEST_CASE("head start: an iteration's submission, with a quarter for its variation") {
  CHECK(head_start_for(batch(1, 80us, 100us)) == 100us);
  CHECK(head_start_for(batch(8, 80us, 1ms)) == 100us);
}

TEST_CASE("head start: a first run alone tells of the batch that follows") {
  CHECK(head_start_for(batch(1, 80us, 10us)) == 100us + 7 * 90us);
}

TEST_CASE("head start: what the host falls behind in each later iteration is added") {
  CHECK(head_start_for(batch(10, 80us, 60us)) == 100us + 9 * 40us);
}

TEST_CASE("head start: the first iteration takes the host longer; another slow one does not count") {
  std::vector<IterationCost> costs = batch(5, 80us, 100us);
  costs[0].host = 200us;
  costs[2] = {50ms, 60ms};
  CHECK(head_start_for(costs) == 250us);
}

TEST_CASE("head start: the shortest makespan is the one that did not wait for the host") {
  std::vector<IterationCost> costs = batch(8, 80us, 80us);
  costs[0].device = 50us;
  CHECK(head_start_for(costs) == 100us + 7 * 50us);
}

TEST_CASE("head start: at most 4 ms for later iterations, and none for a region that takes the host longer") {
  CHECK(head_start_for(batch(200, 80us, 60us)) == 100us + 4ms);
  CHECK(head_start_for(batch(2, 5ms, 1ms)) == 0ns);
}

}  // namespace contextual::cuda::head_start_test
