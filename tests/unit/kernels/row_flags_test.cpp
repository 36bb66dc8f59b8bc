#include "support/catch.hpp"

#include <contextual/kernels/host/row_flags.hpp>

namespace contextual::kernels::row_flags_test {

namespace {

Deadline soon() {
  return Deadline::after(std::chrono::milliseconds(20));
}
Deadline late() {
  return Deadline::after(std::chrono::minutes(5));
}

}  // namespace

TEST_CASE("row flags are unset at first and after a reset, and set for the rows given only") {
  RowFlags flags(10);
  REQUIRE(flags.rows() == 10);
  REQUIRE_FALSE(flags.are_set(0, 1));
  flags.set(2, 5);
  REQUIRE(flags.are_set(2, 5));
  REQUIRE(flags.are_set(3, 4));
  REQUIRE_FALSE(flags.are_set(1, 5));
  REQUIRE_FALSE(flags.are_set(2, 6));
  flags.reset();
  REQUIRE_FALSE(flags.are_set(2, 5));
}

TEST_CASE("row flags: no rows are always there") {
  const RowFlags none(0);
  REQUIRE(none.are_set(0, 0));
  REQUIRE_NOTHROW(none.wait(0, 0, soon()));
  REQUIRE_THROWS_AS(RowFlags(-1), InvalidArgument);
}

TEST_CASE("row flags: a wait ends when all its rows are there, and sees what was written before") {
  RowFlags flags(64);
  std::vector<int> rows(64, 0);
  std::jthread producer([&] {
    for (long row = 63; row >= 0; --row) {
      rows[static_cast<std::size_t>(row)] = 7;
      flags.set(row, row + 1);
      if (row % 16 == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // long enough for the waiter to sleep
      }
    }
  });
  flags.wait(0, 64, late());
  REQUIRE(rows == std::vector<int>(64, 7));
}

TEST_CASE("row flags: a wait whose time is up names the first row that is missing") {
  RowFlags flags(8);
  flags.set(0, 3);
  flags.set(4, 8);
  REQUIRE_NOTHROW(flags.wait(4, 8, soon()));
  REQUIRE_THAT(contextual::test::error_text<WaitFailed>([&] { flags.wait(0, 8, soon()); }),
               ContainsSubstring("row 3 of 8 has not come in "));
}

TEST_CASE("row flags: a failed producer ends a wait at once, until the reset") {
  RowFlags flags(8);
  std::jthread producer([&] { flags.fail(); });
  REQUIRE_THROWS_AS(flags.wait(0, 1, late()), WaitFailed);
  flags.set(0, 1);
  REQUIRE_NOTHROW(flags.wait(0, 1, late()));  // what is there is there
  producer.join();
  flags.reset();
  flags.set(0, 8);
  REQUIRE_NOTHROW(flags.wait(0, 8, late()));
}

}  // namespace contextual::kernels::row_flags_test
