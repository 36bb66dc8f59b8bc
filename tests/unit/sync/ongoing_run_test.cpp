#include "support/catch.hpp"

#include <contextual/detail/sync/ongoing_run.hpp>

namespace contextual::detail::ongoing_run_test {

using namespace std::chrono_literals;

TEST_CASE("ongoing run: the process knows that there is one, and the bounds of the one that began last") {
  CHECK(!OngoingRun::any());
  {
    const OngoingRun first({.deadline = 7ms, .grace = 9ms});
    {
      const OngoingRun second({.deadline = 3ms, .grace = 5ms});
      CHECK(OngoingRun::latest_bounds().deadline == 3ms);
      CHECK(OngoingRun::latest_bounds().grace == 5ms);
    }
    CHECK(OngoingRun::any());
  }
  CHECK(!OngoingRun::any());
  CHECK(OngoingRun::latest_bounds().deadline == 3ms);
}

}  // namespace contextual::detail::ongoing_run_test
