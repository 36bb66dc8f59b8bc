#include "report/format/texts.hpp"

#include "report/format/table.hpp"
#include "support/catch.hpp"

#include <limits>

namespace texts_test {

using namespace contextual::log_report;
using contextual::record::column_count;
using contextual::record::wrap;

TEST_CASE("shorten, wrap: text fits into its columns and is cut between characters only", "[unit]") {
  CHECK(shorten("abcdefgh", 6) == "abc...");
  CHECK(shorten("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4) == "\xc3\xa4...");
  CHECK(column_count(shorten("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5", 6)) <= 6);
  CHECK(wrap("one two three four", 9) == std::vector<std::string>{"one two", "three", "four"});
  CHECK(wrap(std::string(15, 'x'), 10) == std::vector<std::string>{std::string(10, 'x'), "xxxxx"});
}

TEST_CASE("printable: bytes that are no UTF-8 are escaped one by one", "[unit]") {
  CHECK(printable("\xc3\x28\xed\xa0\x80") == "\\xc3(\\xed\\xa0\\x80");
}

TEST_CASE("duration_text: the unit fits, digits are rounded into it, nothing is not finite", "[unit]") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(999.4) == "999 ns");
  CHECK(duration_text(999.9) == "1.000 us");
  CHECK(duration_text(999'960) == "1.000 ms");
  CHECK(duration_text(-1'500) == "-1.500 us");
  CHECK(duration_text(1e300).size() < 20);
  CHECK(duration_text(std::numeric_limits<double>::quiet_NaN()) == "? ns");
}

TEST_CASE("rate_text: four significant digits, nothing without a value", "[unit]") {
  CHECK(rate_text(687.2345) == "687.2");
  CHECK(rate_text(0.05) == "0.05");
  CHECK(rate_text(std::nullopt).empty());
  CHECK(rate_text(std::numeric_limits<double>::infinity()) == "?");
}

TEST_CASE("ranges_text, ranks_text: neighbours are a range from three on, one rank is named as one",
          "[unit]") {
  CHECK(ranges_text(ranges_of({0, 1, 2, 4, 6, 7})) == "0-2, 4, 6, 7");
  CHECK(ranks_text(std::vector<std::int64_t>{3}) == "rank 3");
}

TEST_CASE("seconds_of: reads what it wrote and nothing else", "[unit]") {
  CHECK(seconds_of("1970-01-02T00:00:01Z") == 86'401);
  CHECK(iso8601_of(*seconds_of("2026-02-28T23:59:59Z") + 1) == "2026-03-01T00:00:00Z");
  CHECK_FALSE(seconds_of("2026-01-31 12:00:00Z").has_value());
  CHECK_FALSE(seconds_of("").has_value());
  CHECK_FALSE(seconds_of("9999-99-99T99:99:99Z").has_value());
}

}  // namespace texts_test
