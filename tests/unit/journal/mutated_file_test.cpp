/// \file
/// Journals whose files were changed as a whole: by a damaged disk, or by an editor.

#include "contextual/journal/history.hpp"
#include "contextual/journal/journal_file.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/repetitions.hpp"

#include <random>

namespace contextual::test::mutated_file_test {

using namespace journal;
using detail::TrustedFolder;

namespace fs = std::filesystem;

namespace {

/// A heading, and batches of which no two are equal.
std::vector<std::string> lines_of_a_tuning() {
  std::vector<std::string> lines{line_of(Event::heading, {"a run"})};
  for (std::uint64_t batch = 1; batch <= 8; ++batch) {
    BatchRecord record{.number = batch, .plan_digest = 77 * batch, .length = 2, .joined = "gemm (1)"};
    policy::IterationOutcome iteration;
    iteration.cells = {{true, static_cast<std::int64_t>(1'000 * batch), false, true}};
    record.outcome.iterations = {iteration, iteration};
    record.outcome.rejections = {{0, batch, 0, "too large"}};
    lines.push_back(line_of(record));
  }
  return lines;
}

std::string file_of(const std::vector<std::string>& texts) {
  LineChain chain;
  std::string file;
  for (const std::string& text : texts) {
    file += chain.add(text);
  }
  return file;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  /// One to three changes, each of several bytes, of the length, or of whole lines.
  std::string changed(std::string file) {
    for (int change = number(1, 3); change > 0 && !file.empty(); --change) {
      change_once(file);
    }
    return file;
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  std::size_t place(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }

  void change_once(std::string& file) {
    const std::size_t at = place(file.size());
    switch (number(0, 5)) {
      case 0:
        for (std::size_t i = at; i < file.size() && i < at + static_cast<std::size_t>(number(2, 40)); ++i) {
          file[i] = static_cast<char>(number(0, 255));
        }
        break;
      case 1:
        file.resize(at);
        break;
      case 2:
        file.erase(at, static_cast<std::size_t>(number(1, 200)));
        break;
      case 3:
        file.insert(at, file.substr(place(file.size()), static_cast<std::size_t>(number(1, 200))));
        break;
      default:
        change_lines(file);
    }
  }

  void change_lines(std::string& file) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < file.size();) {
      const std::size_t end = std::min(file.find('\n', begin), file.size() - 1) + 1;
      lines.push_back(file.substr(begin, end - begin));
      begin = end;
    }
    const std::size_t one = place(lines.size());
    const std::size_t other = place(lines.size());
    if (number(0, 1) == 0) {
      std::swap(lines[one], lines[other]);
    } else {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(other), lines[one]);
    }
    file.clear();
    for (const std::string& line : lines) {
      file += line;
    }
  }

  std::mt19937 random_;
};

/// How many lines of the file are what was written, up to its first byte that was not.
std::size_t lines_kept(const std::string& file, const std::string& written) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(file.size(), written.size()) && file[i] == written[i]; ++i) {
    count += file[i] == '\n' ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("journal file: of one that was changed anywhere only what stands before the change is followed") {
  const TemporaryDirectory directory;
  const TrustedFolder folder(directory.path(), "journal");
  const fs::path path = folder.path() / "a.journal";
  REQUIRE(folder.write("a.journal", "").empty());
  const std::vector<std::string> texts = lines_of_a_tuning();
  const std::string written = file_of(texts);
  Mutator mutator(17);
  std::size_t whole = 0;
  const int count = repetitions(20'000);
  for (int i = 0; i < count; ++i) {
    const std::string file = mutator.changed(written);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << file;
    JournalFile journal(folder, "a.journal", Journal::written);
    const std::vector<std::string>& lines = journal.lines();
    const std::size_t kept = lines_kept(file, written);
    bool right = journal.problem().empty() && lines.size() == kept;
    History history;
    for (std::size_t line = 0; right && line < kept; ++line) {
      right = lines[line] == texts[line];
      history.take_in(lines[line]);
      right = right && history.batches.size() == line;
    }
    if (!right || fs::file_size(path) != file_of(lines).size()) {
      CAPTURE(i, file, journal.problem());
      FAIL("something is followed that was not written, or what was written is not");
    }
    whole += kept == texts.size() ? 1 : 0;
  }
  CHECK(whole < static_cast<std::size_t>(count) / 2);
}

}  // namespace contextual::test::mutated_file_test
