#include "report/format/printable.hpp"

#include "report/text/text_table.hpp"
#include "support/catch.hpp"

namespace printable_test {

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

}  // namespace printable_test
