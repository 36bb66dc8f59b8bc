#include "contextual/agreement/region_agreement.hpp"
#include "support/catch.hpp"
#include "support/ranks.hpp"

#include <contextual/testing/scripted_communicator.hpp>

#include <stdexcept>
#include <vector>

namespace kept_choices_test {

using namespace contextual;
using agreement::Exchange;
using agreement::KeptOutcome;

namespace {

constexpr std::chrono::seconds timeout{5};

}  // namespace

TEST_CASE("agree_on_kept_choices: a set is used if every rank can", "[unit]") {
  testing::ScriptedWorld world(3);
  std::vector<std::vector<bool>> agreed(3);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Exchange exchange(*communicator, timeout);
    KeptOutcome outcome;
    outcome.usable = {true, rank != 1, rank != 2, true};
    agreed[static_cast<std::size_t>(rank)] = agree_on_kept_choices(exchange, "region", outcome);
  });
  CHECK(test::count_failed(thrown) == 0);
  for (const std::vector<bool>& usable : agreed) {
    CHECK(usable == std::vector<bool>{true, false, false, true});
  }
}

TEST_CASE("agree_on_kept_choices: what one rank has thrown ends the run on all", "[unit]") {
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Exchange exchange(*communicator, timeout);
    KeptOutcome outcome;
    outcome.usable = {true};
    if (rank == 1) {
      outcome.failure = {std::make_exception_ptr(std::runtime_error("lost")), "lost"};
    }
    agree_on_kept_choices(exchange, "region", outcome);
  });
  CHECK(test::threw<RegionFailedError>(thrown[0]));
  CHECK(test::text_of(thrown[1]) == "lost");
}

TEST_CASE("agree_on_kept_choices: ranks with other sets are in different places", "[unit]") {
  testing::ScriptedWorld world(2);
  const auto thrown = world.run([&](int rank, const std::shared_ptr<Communicator>& communicator) {
    Exchange exchange(*communicator, timeout);
    agree_on_kept_choices(exchange, "region", {{}, std::vector<bool>(static_cast<std::size_t>(1 + rank))});
  });
  CHECK(test::threw<RankMismatchError>(thrown[0]));
  CHECK(test::threw<RankMismatchError>(thrown[1]));
}

}  // namespace kept_choices_test
