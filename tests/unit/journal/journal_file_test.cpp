#include "contextual/journal/journal_file.hpp"

#include "support/engine.hpp"
#include "support/scripted_files.hpp"

namespace contextual::test::journal_file_test {

using namespace journal;
using detail::TrustedFolder;

namespace fs = std::filesystem;

namespace {

std::unique_ptr<JournalFile> open_in(const fs::path& directory, Journal safety = Journal::written) {
  return std::make_unique<JournalFile>(TrustedFolder(directory, "journal/region"), "a.journal", safety);
}

}  // namespace

TEST_CASE("JournalFile: once the time for writing is spent, it is closed and says why") {
  const TemporaryDirectory directory;
  const auto budget = std::make_shared<storage::WriteBudget>();
  JournalFile file(TrustedFolder(directory.path(), "journal/region"), "a.journal", Journal::written, budget);
  file.append("one");
  REQUIRE(file.problem().empty());
  const auto stands_still = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::string();
  };
  for (int i = 0; i < 1000 && budget->spend(stands_still).empty(); ++i) {
  }
  file.append("two");
  CHECK_THAT(file.problem(), ContainsSubstring("a.journal") && ContainsSubstring("more than 50 ms"));
  file.append("three");
  CHECK(open_in(directory.path())->lines() == std::vector<std::string>{"one"});
}

TEST_CASE("journal file: lines are there for the next one that opens it, which goes on behind them") {
  const TemporaryDirectory directory;
  const auto safety = GENERATE(Journal::written, Journal::synced);
  auto file = open_in(directory.path(), safety);
  REQUIRE(file->problem().empty());
  CHECK(file->lines().empty());
  file->append("one");
  file->append("two");
  file.reset();
  file = open_in(directory.path(), safety);
  CHECK(file->lines() == std::vector<std::string>{"one", "two"});
  file->append("three");
  file.reset();
  file = open_in(directory.path(), safety);
  CHECK(file->lines() == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("journal file: what is behind a damaged line is cut off") {
  const TemporaryDirectory directory;
  auto file = open_in(directory.path());
  file->append("one");
  file->append("two");
  file.reset();
  const fs::path path = directory.path() / "journal" / "region" / "a.journal";
  std::ofstream(path, std::ios::app) << "0123456789abcdef half a li";
  file = open_in(directory.path());
  CHECK(file->lines() == std::vector<std::string>{"one", "two"});
  file->append("three");
  file.reset();
  CHECK(open_in(directory.path())->lines() == std::vector<std::string>{"one", "two", "three"});
}

TEST_CASE("journal file: one that another has open is not used") {
  const TemporaryDirectory directory;
  const auto first = open_in(directory.path());
  const auto second = open_in(directory.path());
  CHECK(first->problem().empty());
  CHECK_THAT(
      second->problem(),
      ContainsSubstring("a.journal: another tuner, of this process or another one, is tuning the region"));
  second->append("lost");
  second->end_with({});
  first->append("kept");
  CHECK(count_of(text_of_file(directory.path() / "journal" / "region" / "a.journal"), "\n") == 1);
}

TEST_CASE("journal file: one that another process removes while it is opened is not written") {
  using test::FileCall;
  const TemporaryDirectory directory;
  open_in(directory.path())->append("of the other");
  SECTION("before it is opened") {
    const test::ScriptedFiles files({{FileCall::openat, "a.journal", ENOENT, 1000, 1}});
    CHECK_THAT(open_in(directory.path())->problem(), ContainsSubstring("No such file"));
  }
  SECTION("before it is locked") {
    static fs::path to_remove;
    to_remove = directory.path() / "journal" / "region" / "a.journal";
    storage::FileCalls calls = storage::posix_file_calls();
    calls.openat = [](int folder, const char* name, int flags, mode_t mode) {
      const int file = storage::posix_file_calls().openat(folder, name, flags, mode);
      if ((flags & O_APPEND) != 0 && !to_remove.empty()) {
        fs::remove(std::exchange(to_remove, fs::path()));
      }
      return file;
    };
    const storage::FileCallsReplacement replacement(calls);
    const auto file = open_in(directory.path());
    CHECK_THAT(file->problem(), ContainsSubstring("another process has just removed it"));
    file->append("lost");
    open_in(directory.path())->append("of a third one");
    file->end_with({});
    CHECK(open_in(directory.path())->lines() == std::vector<std::string>{"of a third one"});
  }
}

TEST_CASE("journal file: leaves what it ends with, and no file where that is nothing") {
  const TemporaryDirectory directory;
  auto file = open_in(directory.path());
  file->append("one");
  file->append("two");
  file->end_with({"kept", "too"});
  file->append("lost");
  CHECK(file->problem().empty());
  const auto next = open_in(directory.path());
  CHECK(next->lines() == std::vector<std::string>{"kept", "too"});
  next->end_with({});
  CHECK(!fs::exists(directory.path() / "journal" / "region" / "a.journal"));
  CHECK(open_in(directory.path())->lines().empty());
}

TEST_CASE("journal file: a file or folder that others can write, and a link, are refused and named") {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "journal" / "region";
  const fs::path path = folder / "a.journal";
  open_in(directory.path())->append("one");
  std::string expected = "others can write it";
  SECTION("folder") {
    fs::permissions(folder, fs::perms::all);
  }
  SECTION("file") {
    fs::permissions(path, fs::perms::all);
  }
  SECTION("link") {
    fs::rename(path, directory.path() / "elsewhere");
    fs::create_symlink(directory.path() / "elsewhere", path);
    expected = "symbolic link";
  }
  const auto file = open_in(directory.path());
  CHECK_THAT(file->problem(), ContainsSubstring(expected) && ContainsSubstring("journal/region"));
  CHECK(file->lines().empty());
}

TEST_CASE("journal file: a disk that gets full ends the writing, and what was written before stays") {
  const TemporaryDirectory directory;
  const auto safety = GENERATE(Journal::written, Journal::synced);
  auto file = open_in(directory.path(), safety);
  file->append("one");
  {
    using test::FileCall;
    const FileCall call = safety == Journal::synced ? FileCall::fsync : FileCall::write;
    const test::ScriptedFiles files({{call, "a.journal", ENOSPC}});
    file->append("two");
    file->append("three");  // the disk has room again, but a line is missing
    CHECK(files.failed() == 1);
  }
  CHECK_THAT(file->problem(), ContainsSubstring("a.journal: it cannot be written: No space left on device"));
  file.reset();
  const std::vector<std::string> texts = open_in(directory.path())->lines();
  REQUIRE_FALSE(texts.empty());
  CHECK(texts.front() == "one");
  CHECK(std::find(texts.begin(), texts.end(), "three") == texts.end());
}

}  // namespace contextual::test::journal_file_test
