#include "contextual/journal/journal_file.hpp"
#include "support/catch.hpp"

#include <random>

namespace contextual::journal::line_chain_test {

namespace {

const std::vector<std::string> texts = {"heading", "", "a line with spaces", "a line with spaces", "last"};

std::string file_of(const std::vector<std::string>& lines) {
  LineChain chain;
  std::string file;
  for (const std::string& line : lines) {
    file += chain.add(line);
  }
  return file;
}

/// The lines that were read are the first ones of `texts`.
bool begins(const std::vector<std::string>& lines) {
  return lines.size() <= texts.size() && std::equal(lines.begin(), lines.end(), texts.begin());
}

}  // namespace

TEST_CASE("line chain: gives the lines back") {
  const std::string file = file_of(texts);
  CHECK(read_lines(file) == texts);
  std::size_t complete = 0;
  for (std::size_t length = 0; length <= file.size(); ++length) {
    complete += length > 0 && file[length - 1] == '\n' ? 1 : 0;
    CHECK(read_lines(file.substr(0, length)).size() == complete);
  }
}

TEST_CASE("line chain: ends before a line that is cut, missing, moved or of another file") {
  const std::string file = file_of(texts);
  const auto length_of = [&](const std::string& changed) { return read_lines(changed).size(); };
  CHECK(length_of(file.substr(0, file.size() - 1)) == 4);
  const std::size_t first = file.find('\n') + 1;
  const std::size_t second = file.find('\n', first) + 1;
  CHECK(length_of(file.substr(0, first) + file.substr(second)) == 1);
  CHECK(length_of(file.substr(first, second - first) + file.substr(0, first)) == 0);
  CHECK(length_of(file + file) == 5);
  CHECK(length_of("heading\n") == 0);
}

TEST_CASE("line chain: no change of a byte is believed") {
  const std::string file = file_of(texts);
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = file;
    const auto at = std::uniform_int_distribution<std::size_t>(0, file.size() - 1)(random);
    changed[at] = static_cast<char>(changed[at] ^ (1 << std::uniform_int_distribution<int>(0, 7)(random)));
    const std::vector<std::string> lines = read_lines(changed);
    INFO("byte " << at);
    REQUIRE(begins(lines));
    REQUIRE(file_of(lines).size() <= at);
  }
}

}  // namespace contextual::journal::line_chain_test
