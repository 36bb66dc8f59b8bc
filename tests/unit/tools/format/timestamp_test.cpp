#include "report/format/quantities.hpp"
#include "support/catch.hpp"

namespace timestamp_test {

using namespace contextual::log_report;

TEST_CASE("seconds_of: reads what it wrote and nothing else", "[unit]") {
  CHECK(seconds_of("1970-01-02T00:00:01Z") == 86'401);
  CHECK(iso8601_of(*seconds_of("2026-02-28T23:59:59Z") + 1) == "2026-03-01T00:00:00Z");
  CHECK_FALSE(seconds_of("2026-02-30T00:00:00Z").has_value());
  CHECK_FALSE(seconds_of("2026-01-31 12:00:00Z").has_value());
  CHECK_FALSE(seconds_of("").has_value());
  CHECK_FALSE(seconds_of("9999-99-99T99:99:99Z").has_value());
}

}  // namespace timestamp_test
