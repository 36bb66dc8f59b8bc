#include "contextual/record/rank_log.hpp"

#include "contextual/record/log_lines.hpp"
#include "sample_events.hpp"
#include "support/stderr_capture.hpp"
#include "support/threads.hpp"

#include <contextual/error.hpp>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <thread>

namespace rank_log_test {

using namespace contextual::record;
namespace fs = std::filesystem;
using engine_test::count_of;
using engine_test::StderrCapture;
using engine_test::TemporaryDirectory;

namespace {

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The lines that these events are in the log for people.
std::vector<std::string> texts_of(const std::vector<EventBody>& bodies) {
  std::vector<std::string> lines;
  for (const EventBody& body : bodies) {
    lines.push_back(to_text(samples::event(body)));
  }
  return lines;
}

void write(RankLog&& log, const EventBody& body) {
  log.write(samples::event(body));
}

void write(RankLog& log, const EventBody& body) {
  log.write(samples::event(body));
}

std::string message_of(const fs::path& directory) {
  return engine_test::error_text<contextual::InvalidArgument>([&] { RankLog(directory, 0); });
}

}  // namespace

TEST_CASE("RankLog: creates the directory and writes both files of its rank", "[unit]") {
  const TemporaryDirectory directory;
  RankLog log(directory.path() / "a" / "b", 3);
  for (const Event& event : samples::all()) {
    log.write(event);
  }
  CHECK(log.text_path().filename() == "rank-3.log");
  CHECK(log.json_path().filename() == "rank-3.jsonl");
  CHECK(log.directory().is_absolute());
  CHECK(lines_of(log.text_path()).size() == samples::all().size() - 1);  // a summary is for programs only
  CHECK(lines_of(log.json_path()).size() == samples::all().size());
  CHECK(lines_of(log.text_path())[1] == to_text(samples::event(samples::hello())));
  CHECK(lines_of(log.json_path())[1] == to_json_line(samples::event(samples::hello())));
}

TEST_CASE("Invariant 13: a line is in the file as soon as it is written", "[unit]") {
  const TemporaryDirectory directory;
  RankLog log(directory.path(), 0);
  for (std::size_t count = 1; count <= 3; ++count) {
    write(log, samples::warning());
    CHECK(lines_of(log.text_path()).size() == count);
    CHECK(lines_of(log.json_path()).size() == count);
  }
}

TEST_CASE("Invariant 13: a second tuner appends, at the same time and later", "[unit]") {
  const TemporaryDirectory directory;
  {
    RankLog first(directory.path(), 0);
    write(first, samples::run_start());
    RankLog second(directory.path() / ".", 0);
    write(second, samples::warning());
    write(first, samples::run_end());
  }
  RankLog later(directory.path(), 0);
  write(later, samples::choice());
  CHECK(lines_of(later.text_path()) ==
        texts_of({samples::run_start(), samples::warning(), samples::run_end(), samples::choice()}));
}

TEST_CASE("Invariant 13: ranks of one process write files of their own", "[unit]") {
  const TemporaryDirectory directory;
  RankLog zero(directory.path(), 0);
  RankLog one(directory.path(), 1);
  write(zero, samples::warning());
  CHECK(lines_of(zero.json_path()).size() == 1);
  CHECK(lines_of(one.json_path()).empty());
}

TEST_CASE("RankLog: lines of several logs and threads never interleave", "[unit]") {
  const TemporaryDirectory directory;
  constexpr int threads = 4;
  constexpr int lines = 200;
  contextual::test::on_threads(threads, [&directory](int writer) {
    const std::string text(static_cast<std::size_t>(6000 + writer), static_cast<char>('a' + writer));
    for (int line = 0; line < lines; ++line) {
      RankLog log(directory.path(), 0);  // a log's first line is written however long others wait
      write(log, Warning{text});
    }
  });
  const auto written = lines_of(directory.path() / "rank-0.jsonl");
  CHECK(written.size() == threads * lines);
  int whole = 0;
  for (const std::string& line : written) {
    const auto text = nlohmann::json::parse(line)["text"].get<std::string>();
    whole += text.size() >= 6000 && text.find_first_not_of(text[0]) == std::string::npos ? 1 : 0;
  }
  CHECK(whole == threads * lines);
}

TEST_CASE("RankLog: a directory that cannot be created is named, with the reason and what to change",
          "[unit]") {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "file") << "x";
  const fs::path below = directory.path() / "file" / "logs";
  const std::string message = message_of(below);
  CHECK_THAT(message, ContainsSubstring("'" + below.string() + "'"));
  CHECK_THAT(message, ContainsSubstring("Not a directory"));
  CHECK_THAT(message, ContainsSubstring("CONTEXTUAL_LOG_DIR"));
  CHECK_THAT(message, ContainsSubstring(".log_directory"));
  CHECK_THAT(message_of(directory.path() / "file"), ContainsSubstring("Not a directory"));
}

TEST_CASE("RankLog: a file that cannot be opened is named, with the reason and what to change", "[unit]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path() / "rank-0.log");
  const std::string message = message_of(directory.path());
  CHECK_THAT(message, ContainsSubstring("rank-0.log"));
  CHECK_THAT(message, ContainsSubstring("Is a directory"));
  CHECK_THAT(message, ContainsSubstring("CONTEXTUAL_LOG_DIR"));
}

TEST_CASE("RankLog: a link in the place of a log is refused, and what it leads to stays as it is", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path target = directory.path() / "precious";
  std::ofstream(target) << "kept";
  fs::create_symlink(target, directory.path() / "rank-3.jsonl");
  CHECK_THROWS_WITH(RankLog(directory.path(), 3), ContainsSubstring("rank-3.jsonl is a symbolic link"));
  CHECK(fs::file_size(target) == 4);
}

TEST_CASE("RankLog: a link that takes the place of a log at any time is not followed", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path target = directory.path() / "precious";
  const fs::path log = directory.path() / "rank-0.log";
  std::atomic<bool> done{false};
  std::jthread changes([&] {
    while (!done) {
      std::error_code ignored;
      fs::remove(log, ignored);
      fs::create_symlink(target, log, ignored);
      fs::remove(log, ignored);
    }
  });
  int opened = 0;
  for (int i = 0; i < 3000; ++i) {
    try {
      write(RankLog(directory.path(), 0), samples::warning());
      ++opened;
    } catch (const contextual::InvalidArgument&) {
      continue;
    }
  }
  done = true;
  changes.join();
  CHECK(opened > 0);
  CHECK(!fs::exists(target));
}

TEST_CASE("RankLog: logs have the modes that the user's umask leaves", "[unit]") {
  const auto [mask, mode] = GENERATE(std::pair(0027, 0640), std::pair(0077, 0600), std::pair(0002, 0664));
  const TemporaryDirectory directory;
  const mode_t before = ::umask(static_cast<mode_t>(mask));
  const RankLog log(directory.path(), 0);
  ::umask(before);
  CHECK(static_cast<int>(fs::status(log.text_path()).permissions()) == mode);
  CHECK(static_cast<int>(fs::status(log.json_path()).permissions()) == mode);
}

TEST_CASE("RankLog: a directory without write permission is an error", "[unit]") {
  const TemporaryDirectory directory;
  fs::permissions(directory.path(), fs::perms::owner_read | fs::perms::owner_exec);
  if (::access(directory.path().c_str(), W_OK) == 0) {
    WARN("skipped: this user may write everywhere");
    return;
  }
  CHECK_THAT(message_of(directory.path()), ContainsSubstring("Permission denied"));
  CHECK_THAT(message_of(directory.path() / "new"), ContainsSubstring("Permission denied"));
}

/// While it lives, no file of this process grows beyond `bytes`: a disk that is full for every file.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_CASE("RankLog: a full disk is said once on stderr and never thrown", "[unit]") {
  const TemporaryDirectory directory;
  constexpr std::size_t full = 16'384;
  std::ofstream(directory.path() / "rank-0.log") << std::string(full - 1, ' ') << '\n';
  const StderrCapture said;
  {
    const FileSizeLimit limit(full);
    RankLog log(directory.path(), 0);
    for (int i = 0; i < 5; ++i) {
      write(log, samples::warning());
    }
  }
  CHECK(count_of(said.text(), "\n") == 1);
  CHECK_THAT(said.text(), ContainsSubstring("cannot write to") && ContainsSubstring("rank-0.log") &&
                              ContainsSubstring("File too large"));
  CHECK(lines_of(directory.path() / "rank-0.jsonl").size() == 5);  // the other file goes on
}

TEST_CASE("RankLog: a disk that is full for both logs is said once, and again by the next log", "[unit]") {
  const TemporaryDirectory directory;
  constexpr std::size_t full = 16'384;
  for (const char* name : {"rank-0.log", "rank-0.jsonl"}) {
    std::ofstream(directory.path() / name) << std::string(full - 1, ' ') << '\n';
  }
  const StderrCapture said;
  const FileSizeLimit limit(full);
  for (int run = 0; run < 2; ++run) {
    RankLog log(directory.path(), 0);
    RankLog copy = log;
    write(log, samples::warning());
    write(copy, samples::warning());
  }
  CHECK(count_of(said.text(), "\n") == 2);
}

TEST_CASE("RankLog: a log that could not grow is closed, and the next one ends its half line", "[unit]") {
  const TemporaryDirectory directory;
  constexpr std::size_t full = 16'384;
  const fs::path json = directory.path() / "rank-0.jsonl";
  std::ofstream(json) << std::string(full - 20, ' ') << '\n';
  const StderrCapture said;
  RankLog closed(directory.path(), 0);
  {
    const FileSizeLimit limit(full);
    write(closed, samples::warning());  // 19 bytes of it
  }
  write(closed, samples::warning());
  write(RankLog(closed), samples::warning());
  CHECK(fs::file_size(json) == full);
  CHECK_THAT(said.text(), ContainsSubstring("This run's log ends here"));
  RankLog next(directory.path(), 0);
  write(next, samples::warning());
  CHECK(lines_of(json).back() == to_json_line(samples::event(samples::warning())));
}

TEST_CASE("RankLog: once the time for writing is spent, nothing is written, and that is said once",
          "[unit]") {
  const TemporaryDirectory directory;
  const auto budget = std::make_shared<contextual::storage::WriteBudget>();
  const auto stands_still = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::string();
  };
  constexpr int most = 1000;  // a write in which this thread was preempted does not count
  int writes = 0;
  while (budget->spend(stands_still).empty() && writes < most) {
    ++writes;
  }
  CHECK(writes < most);
  const StderrCapture said;
  RankLog log(directory.path(), 0, budget);
  write(log, samples::warning());
  write(log, samples::warning());
  CHECK(lines_of(log.json_path()).empty());
  CHECK(count_of(said.text(), "writing has taken more than 50 ms of this tuning") == 1);
}

TEST_CASE("RankLog: a relative directory stays where it was when it was first named", "[unit]") {
  const TemporaryDirectory directory;
  const fs::path before = fs::current_path();
  const fs::path other = directory.path() / "other";
  fs::create_directory(other);
  fs::current_path(directory.path());
  const std::string name = directory.path().filename().string() + "_logs";
  const RankLog first(name, 0);
  fs::current_path(other);
  const RankLog second(name, 0);
  fs::current_path(before);
  CHECK(second.directory() == first.directory());
  CHECK(fs::is_empty(other));
}

TEST_CASE("RankLog: after a half line the first line of a new log is whole", "[unit]") {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "rank-0.jsonl") << "{\"event\":\"launch\"}\n{\"event\":\"lau";
  std::ofstream(directory.path() / "rank-0.log") << "[rank-0] func: ag_g";
  RankLog log(directory.path(), 0);
  write(log, samples::run_start());
  write(log, samples::warning());
  CHECK(lines_of(log.json_path()) ==
        std::vector<std::string>{"{\"event\":\"launch\"}", "{\"event\":\"lau",
                                 to_json_line(samples::event(samples::run_start())),
                                 to_json_line(samples::event(samples::warning()))});
  CHECK(lines_of(log.text_path()).at(1) == to_text(samples::event(samples::run_start())));
}

TEST_CASE("RankLog: processes that write at the same time leave hardly any blank lines", "[unit]") {
  const TemporaryDirectory directory;
  Warning body;
  body.text.assign(20'000, 'x');  // of several pages
  std::vector<pid_t> children;
  for (int process = 0; process < 2; ++process) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (int i = 0; i < 500; ++i) {
        write(RankLog(directory.path(), 0), body);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    REQUIRE(::waitpid(child, nullptr, 0) == child);
  }
  std::vector<std::string> lines = lines_of(directory.path() / "rank-0.jsonl");
  CHECK(std::erase(lines, "") < 10);  // a process that is stopped inside its line looks like a dead one
  CHECK(lines.size() == 1000);
}

/// Runs `use` in a forked process; returns its process id when it has ended well.
pid_t in_child(const std::function<void()>& use) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    use();
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return child;
}

fs::path own_file(const TemporaryDirectory& directory, pid_t process, const char* extension) {
  return directory.path() / ("rank-0." + std::to_string(process) + extension);
}

TEST_CASE("RankLog: a forked child goes on in files of its own, the parent's log stays the parent's",
          "[unit]") {
  const TemporaryDirectory directory;
  RankLog log(directory.path(), 0);
  write(log, samples::run_start());
  const pid_t child = in_child([&] {
    write(log, samples::warning());
    write(log, samples::choice());
  });
  write(log, samples::run_end());
  CHECK(lines_of(log.text_path()) == texts_of({samples::run_start(), samples::run_end()}));
  CHECK(lines_of(log.json_path()).size() == 2);
  CHECK(lines_of(own_file(directory, child, ".log")) == texts_of({samples::warning(), samples::choice()}));
  CHECK(lines_of(own_file(directory, child, ".jsonl")).size() == 2);
}

TEST_CASE("RankLog: a log that a forked child opens is its own where the parent had opened that one",
          "[unit]") {
  const TemporaryDirectory directory;
  const TemporaryDirectory elsewhere;
  const pid_t before = in_child([&] { write(RankLog(directory.path(), 0), samples::warning()); });
  CHECK_FALSE(fs::exists(own_file(directory, before, ".log")));  // the parent had none yet
  CHECK(lines_of(directory.path() / "rank-0.log").size() == 1);
  { write(RankLog(directory.path(), 0), samples::run_start()); }
  pid_t grandchild = 0;
  const pid_t child = in_child([&] {
    write(RankLog(directory.path(), 0), samples::warning());
    write(RankLog(elsewhere.path(), 0), samples::warning());
    grandchild = in_child([&] { write(RankLog(directory.path(), 0), samples::choice()); });
    if (lines_of(own_file(directory, grandchild, ".jsonl")).size() != 1) {
      ::_exit(1);
    }
  });
  CHECK(lines_of(directory.path() / "rank-0.log").size() == 2);
  CHECK(lines_of(own_file(directory, child, ".log")).size() == 1);
  CHECK(lines_of(elsewhere.path() / "rank-0.log").size() == 1);
}

TEST_CASE("holds 13: beyond its bound, the log leaves out iterations, never choices and failures", "[unit]") {
  const TemporaryDirectory directory;
  RankLog log(directory.path(), 0, std::make_shared<contextual::storage::WriteBudget>(), 1);
  std::map<std::string, int> expected;
  for (const Event& event : samples::all()) {
    ++expected[nlohmann::json::parse(to_json_line(event)).at("event").get<std::string>()];
    log.write(event);
  }
  for (const std::string left_out : {"launch", "device", "config_summary", "timeline", "progress"}) {
    CHECK(expected.erase(left_out) == 1);
  }
  ++expected["warning"];  // which says so
  std::map<std::string, int> written;
  for (const std::string& line : lines_of(log.json_path())) {
    ++written[nlohmann::json::parse(line).at("event").get<std::string>()];
  }
  CHECK(written == expected);
}

TEST_CASE("RankLog: a child may be forked while other threads write", "[unit]") {
#ifdef __clang__
#if __has_feature(address_sanitizer)
  WARN("skipped: the allocator of clang's address sanitizer has no memory for a child of several threads");
  return;
#endif
#endif
  const TemporaryDirectory directory;
  RankLog log(directory.path(), 0);
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    while (!done) {
      write(log, samples::warning());
      write(RankLog(directory.path(), 1), samples::warning());
    }
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = in_child([&] {
      ::alarm(60);  // ends a child that waits for a lock of a thread that it does not have
      write(log, samples::choice());
      write(RankLog(directory.path(), 1), samples::choice());
    });
    CHECK(lines_of(own_file(directory, child, ".jsonl")).size() == 1);
  }
  done = true;
}

}  // namespace rank_log_test
