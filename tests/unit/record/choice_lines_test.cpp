#include "contextual/record/choice_lines.hpp"

#include "contextual/record/quantities.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <sstream>
#include <string>

namespace choice_lines_test {

using namespace contextual::record;

namespace {

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, column_count(line));
  }
  return longest;
}

const ChoiceLine gemm{"gemm", "{M: 512, N: 768}", "{BLOCK_M: 64, BLOCK_K: 16}", "1.36 ms", "-82 %", ""};
const ChoiceLine norm{"rms_norm", "{ROWS: 4}", "{ROWS: 8}", "59.6 us", "default", ""};

}  // namespace

TEST_CASE("choice lines: texts are aligned left, numbers right", "[unit]") {
  CHECK(choice_lines({gemm, norm}, 120) ==
        "gemm      {M: 512, N: 768}  {BLOCK_M: 64, BLOCK_K: 16}  1.36 ms    -82 %\n"
        "rms_norm  {ROWS: 4}         {ROWS: 8}                   59.6 us  default\n");
}

TEST_CASE("choice lines: a column that is empty everywhere takes no room", "[unit]") {
  CHECK(choice_lines({{"k", "", "{A: 1}", "", "default", "(pinned)"}}, 120) ==
        "k  {A: 1}  default  (pinned)\n");
  CHECK(choice_lines({}, 120).empty());
}

TEST_CASE("choice lines: without room, configs and then keys have lines of their own", "[unit]") {
  ChoiceLine line = gemm;
  line.kernel = "a_kernel_with_a_name_that_is_long";
  line.key = "{M: 100001, N: 100002, K: 100003, TYPE: bf16}";
  CHECK(
      choice_lines({line, norm}, 120) ==
      "a_kernel_with_a_name_that_is_long  {M: 100001, N: 100002, K: 100003, TYPE: bf16}             1.36 ms  "
      "  "
      "-82 %\n"
      "    {BLOCK_M: 64, BLOCK_K: 16}\n"
      "rms_norm                           {ROWS: 4}                                      {ROWS: 8}  59.6 us  "
      "default\n");
  CHECK(choice_lines({line, norm}, 60) ==
        "a_kernel_with_a_name_that_is_long  1.36 ms    -82 %\n"
        "    {M: 100001, N: 100002, K: 100003, TYPE: bf16}\n"
        "    {BLOCK_M: 64, BLOCK_K: 16}\n"
        "rms_norm                           59.6 us  default\n"
        "    {ROWS: 4}\n"
        "    {ROWS: 8}\n");
}

TEST_CASE("choice lines: a kernel that is wider than all has a line of its own, and others stay in columns",
          "[unit]") {
  ChoiceLine line = gemm;
  line.kernel = std::string(60, 'k');
  CHECK(choice_lines({line, norm}, 60) == line.kernel +
                                              "\n"
                                              "          {M: 512, N: 768}             1.36 ms    -82 %\n"
                                              "    {BLOCK_M: 64, BLOCK_K: 16}\n"
                                              "rms_norm  {ROWS: 4}         {ROWS: 8}  59.6 us  default\n");
}

TEST_CASE("choice lines: a key that has to move takes no config with it that has room", "[unit]") {
  ChoiceLine line = norm;
  line.key = "{" + std::string(58, '1') + "}";
  CHECK(choice_lines({line, norm}, 60) == "rms_norm             {ROWS: 8}  59.6 us  default\n    " +
                                              line.key.substr(0, 56) + "\n        " + line.key.substr(56) +
                                              "\n"
                                              "rms_norm  {ROWS: 4}  {ROWS: 8}  59.6 us  default\n");
}

TEST_CASE("choice lines: a config is never shortened, and has lines of its own if it is too long", "[unit]") {
  ChoiceLine line = gemm;
  line.config = "{FIRST: 1000000, SECOND: 2000000, THIRD: 3000000, FOURTH: 4000000, FIFTH: 5000000}";
  CHECK(choice_lines({line, norm}, 60) ==
        "gemm      {M: 512, N: 768}             1.36 ms    -82 %\n"
        "    {FIRST: 1000000, SECOND: 2000000, THIRD: 3000000,\n"
        "        FOURTH: 4000000, FIFTH: 5000000}\n"
        "rms_norm  {ROWS: 4}         {ROWS: 8}  59.6 us  default\n");
}

TEST_CASE("choice lines: no line is longer than the width, whatever the cells hold", "[unit]") {
  for (std::size_t length = 1; length < 150; length += 7) {
    const std::string text(length, 'x');
    for (const ChoiceLine& line :
         {ChoiceLine{text, text, text, "1 ms", "-1 %", ""}, ChoiceLine{"k", "()", text, "1 ms", "-1 %", text},
          ChoiceLine{text, "()", "{A: 1}", "1 ms", "-1 %", text}}) {
      INFO(length << ": " << line.kernel);
      CHECK(longest_line(choice_lines({line, norm}, 120)) <= 120);
      CHECK(longest_line(choice_lines({line, gemm}, 60)) <= 60);
    }
  }
}

TEST_CASE("choice lines: a character of several bytes takes one column and is never cut", "[unit]") {
  ChoiceLine line = gemm;
  line.kernel = "\u00fcber";
  CHECK(choice_lines({line, gemm}, 120).find("\u00fcber  {M") == 0);
  line.key =
      "\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1\u03b1"
      "\u03b1\u03b1\u03b1";
  CHECK(choice_lines({line, gemm}, 40).find("    \u03b1\u03b1") != std::string::npos);
  CHECK(longest_line(choice_lines({line, gemm}, 40)) <= 40);
}

TEST_CASE("times for people: three digits, in the unit that fits", "[unit]") {
  CHECK(short_time(812) == "812 ns");
  CHECK(short_time(59'560) == "59.6 us");
  CHECK(short_time(999'499) == "999 us");
  CHECK(short_time(999'500) == "1.00 ms");
  CHECK(short_time(1.36e6) == "1.36 ms");
  CHECK(short_time(9.996e6) == "10.0 ms");
  CHECK(short_time(2.1e9) == "2.10 s");
  CHECK(short_time(0) == "0 ns");
}

TEST_CASE("changes for people: whole percent with a sign, but no sign for nothing", "[unit]") {
  CHECK(short_percent(-0.823) == "-82 %");
  CHECK(short_percent(0.074) == "+7 %");
  CHECK(short_percent(-0.004) == "0 %");
  CHECK(short_percent(0.0) == "0 %");
  CHECK(short_percent(11.5) == "+1150 %");
  CHECK(short_percent(-0.997) == "-99.7 %");
  CHECK(percent(-0.99996) == "-99.996 %");
  CHECK(short_percent(-1) == "-100 %");
}

TEST_CASE("wrapped text: lines stay apart, and what goes on is indented", "[unit]") {
  CHECK(wrapped("", 10).empty());
  CHECK(wrapped("one\ntwo\n", 40) == "one\ntwo\n");
  const std::string words = "four and more words make it longer than";
  CHECK(wrapped("  " + words + " allowed", 40) ==
        "  four and more words make it longer\n      than allowed\n");
  CHECK(wrapped(std::string(50, 'x'), 40) == std::string(40, 'x') + "\n    " + std::string(10, 'x') + "\n");
}

TEST_CASE("wrapped text: where there is hardly any width, or much indentation, it ends and is complete",
          "[unit]") {
  CHECK(wrapped(std::string(50, 'x'), 0) == wrapped(std::string(50, 'x'), 40));
  CHECK(longest_line(choice_lines({gemm, norm}, 0)) <= 40);
  const std::string deep = wrapped(std::string(100, ' ') + std::string(50, 'x'), 60);
  CHECK(longest_line(deep) <= 60);
  CHECK(std::count(deep.begin(), deep.end(), 'x') == 50);
}

}  // namespace choice_lines_test
