#include "report/format/quantities.hpp"

#include "support/catch.hpp"

#include <limits>

namespace quantities_test {

using namespace contextual::log_report;

TEST_CASE("duration_text: the unit fits, digits are rounded into it, nothing is not finite", "[unit]") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(999.4) == "999 ns");
  CHECK(duration_text(999.9) == "1.000 us");
  CHECK(duration_text(999'960) == "1.000 ms");
  CHECK(duration_text(-1'500) == "-1.500 us");
  CHECK(duration_text(1e300).size() < 20);
  CHECK(duration_text(std::numeric_limits<double>::quiet_NaN()) == "?");
}

TEST_CASE("rate_text: four significant digits, nothing without a value", "[unit]") {
  CHECK(rate_text(687.2345) == "687.2");
  CHECK(rate_text(0.05) == "0.05");
  CHECK(rate_text(std::nullopt).empty());
  CHECK(rate_text(std::numeric_limits<double>::infinity()) == "?");
}

}  // namespace quantities_test
