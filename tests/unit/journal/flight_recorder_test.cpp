#include "contextual/journal/flight_recorder.hpp"

#include "support/engine.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace flight_recorder_test {

using namespace contextual::journal;
using contextual::detail::TrustedFolder;
using engine_test::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

/// What a process leaves that does this and is killed then.
template <typename Do>
Flight after_death(const fs::path& directory, Do&& what) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    FlightRecorder recorder(TrustedFolder(directory, "journal"), "flight");
    what(recorder);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  return FlightRecorder(TrustedFolder(directory, "journal"), "flight").found();
}

}  // namespace

TEST_CASE("flight recorder: says what was in flight when the process was killed, until it is told",
          "[unit]") {
  const TemporaryDirectory directory;
  const Flight flight = after_death(directory.path(), [](FlightRecorder& recorder) {
    recorder.take_off(1, {"x"});
    recorder.landed();
    recorder.take_off(2, {"a", "a", "b", "a"});
  });
  CHECK(flight.batch == 2);
  CHECK(flight.assignments == std::vector<std::string>{"a", "b"});
  FlightRecorder again(TrustedFolder(directory.path(), "journal"), "flight");
  CHECK(again.found().batch == 2);
  again.landed();
  CHECK(again.found().batch == 0);
}

TEST_CASE("flight recorder: says nothing of a process that died while nothing was in flight", "[unit]") {
  const TemporaryDirectory directory;
  const Flight flight = after_death(directory.path(), [](FlightRecorder& recorder) {
    recorder.take_off(1, {"x"});
    recorder.landed();
  });
  CHECK(flight.batch == 0);
  CHECK(flight.assignments.empty());
}

TEST_CASE("flight recorder: more than it can hold is not recorded", "[unit]") {
  const TemporaryDirectory directory;
  const Flight flight = after_death(directory.path(), [](FlightRecorder& recorder) {
    recorder.take_off(1, {"x"});
    recorder.take_off(2, {std::string(70'000, 'x')});
  });
  CHECK(flight.batch == 0);
}

TEST_CASE("flight recorder: a link, a file of others and a damaged one are not used, and nothing happens",
          "[unit]") {
  const TemporaryDirectory directory;
  const fs::path folder = directory.path() / "journal";
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  SECTION("a link") {
    const TemporaryDirectory elsewhere;
    std::ofstream(elsewhere.path() / "file") << "kept";
    fs::create_symlink(elsewhere.path() / "file", folder / "flight");
    FlightRecorder recorder(TrustedFolder(directory.path(), "journal"), "flight");
    recorder.take_off(1, {"x"});
    CHECK(engine_test::text_of_file(elsewhere.path() / "file") == "kept");
  }
  SECTION("a file that others can write") {
    std::ofstream(folder / "flight") << "kept";
    fs::permissions(folder / "flight", fs::perms::all);
    FlightRecorder recorder(TrustedFolder(directory.path(), "journal"), "flight");
    recorder.take_off(1, {"x"});
    CHECK(engine_test::text_of_file(folder / "flight") == "kept");
  }
  SECTION("a damaged one") {
    std::ofstream(folder / "flight") << std::string(65536, '\xff');
    fs::permissions(folder / "flight", fs::perms::owner_read | fs::perms::owner_write);
    FlightRecorder recorder(TrustedFolder(directory.path(), "journal"), "flight");
    CHECK(recorder.found().assignments.empty());
    CHECK(recorder.found().batch == 0);
  }
}

}  // namespace flight_recorder_test
