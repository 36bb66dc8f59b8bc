#include "support/catch.hpp"

#include <contextual/cuda.hpp>

namespace default_timer_test {

TEST_CASE("cuda.hpp: including it leaves the process's default timer as it was") {
  using Factory = std::unique_ptr<contextual::Timer> (*)();
  const contextual::TimerFactory factory = contextual::default_timer();
  const Factory* target = factory.target<Factory>();
  REQUIRE(target != nullptr);
  CHECK(*target == &contextual::host_timer);
}

}  // namespace default_timer_test
