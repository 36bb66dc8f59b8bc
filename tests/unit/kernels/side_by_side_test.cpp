#include "support/catch.hpp"

#include <contextual/kernels/host/side_by_side.hpp>

namespace contextual::kernels::side_by_side_test {

namespace {

Deadline late() {
  return Deadline::after(std::chrono::minutes(5));
}

}  // namespace

TEST_CASE("side by side: each can wait for the other") {
  RowFlags flags(2);
  const auto here = std::this_thread::get_id();
  bool apart = false;
  side_by_side(
      flags,
      [&] {
        apart = std::this_thread::get_id() != here;
        flags.set(0, 1);
        flags.wait(1, 2, late());
      },
      [&] {
        flags.wait(0, 1, late());
        flags.set(1, 2);
      });
  REQUIRE(apart);
  REQUIRE(flags.are_set(0, 2));
}

TEST_CASE("side by side: a failure ends the other's wait, and is what is thrown") {
  const auto waits = [](const RowFlags& flags) { flags.wait(0, 1, late()); };
  RowFlags flags(1);
  REQUIRE_THROWS_WITH(side_by_side(
                          flags, [] { throw std::runtime_error("planted"); }, [&] { waits(flags); }),
                      "planted");
  flags.reset();
  REQUIRE_THROWS_WITH(side_by_side(
                          flags, [&] { waits(flags); }, [] { throw std::runtime_error("planted"); }),
                      "planted");
}

}  // namespace contextual::kernels::side_by_side_test
