#include "report/format/printable.hpp"
#include "support/catch.hpp"

namespace columns_test {

using namespace contextual::log_report;

TEST_CASE("shorten, wrap: text fits into its columns and is cut between characters only", "[unit]") {
  CHECK(shorten("abcdefgh", 6) == "abc...");
  CHECK(shorten("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4) == "\xc3\xa4...");
  CHECK(columns_of(shorten("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5", 6)) <= 6);
  CHECK(wrap("one two three four", 9) == std::vector<std::string>{"one two", "three", "four"});
  CHECK(wrap(std::string(100, 'x'), 10, 2) == std::vector<std::string>{std::string(10, 'x'), "xxxxxxx..."});
}

}  // namespace columns_test
