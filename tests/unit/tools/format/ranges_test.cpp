#include "report/format/quantities.hpp"
#include "support/catch.hpp"

namespace ranges_test {

using namespace contextual::log_report;

TEST_CASE("ranges_text, ranks_text: neighbours are a range from three on, one rank is named as one",
          "[unit]") {
  CHECK(ranges_text(ranges_of({0, 1, 2, 4, 6, 7})) == "0-2, 4, 6, 7");
  CHECK(ranks_text(std::vector<std::int64_t>{3}) == "rank 3");
}

}  // namespace ranges_test
