/// \file
/// Processes that keep choices in one directory at the same time.

#include "contextual/storage/choice_store.hpp"
#include "support/engine.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

namespace many_processes_test {

using namespace contextual::storage;
using contextual::make_key;
using engine_test::TemporaryDirectory;

namespace fs = std::filesystem;

namespace {

constexpr int processes = 8;
constexpr int shared_key = processes;  ///< all of them write it, beside one of their own

/// TEST_STORAGE_SECONDS, else 2.
std::chrono::duration<double> duration() {
  const char* text = std::getenv("TEST_STORAGE_SECONDS");
  return std::chrono::duration<double>(text == nullptr ? 2.0 : std::atof(text));
}

/// The config counts up from 1; its reason says which process has written it.
ChoiceSet entry_of(int process, int key, std::size_t config_id) {
  ChoiceSet entry;
  entry.region = "region";
  entry.machines = {{{"devices", "GPU"}}};
  KeptChoice& choice = entry.choices.emplace_back();
  choice.kernel = "k";
  choice.key = make_key(key);
  choice.launched = {{"k", 1}};
  choice.config_count = 1'000'000;
  choice.config_id = config_id;
  choice.config = "{}";
  choice.reason = std::to_string(process);
  return entry;
}

std::string save(const ChoiceStore& store, const ChoiceSet& entry) {
  return store.save(entry, {entry.machines});
}

/// What a process tells at its end.
struct Told {
  std::uint64_t written = 0;  ///< of each of its two keys
  std::uint64_t failed = 0;   ///< writes
  std::uint64_t missing = 0;  ///< times that its own newest choice was not what it read
  std::uint64_t unread = 0;   ///< files that it could not read
};

const KeptChoice* kept_of(const ChoiceStore::Kept& kept, int key) {
  for (const ChoiceSet& entry : kept.file.sets) {
    for (const KeptChoice& choice : entry.choices) {
      if (choice.key == make_key(key)) {
        return &choice;
      }
    }
  }
  return nullptr;
}

Told work(const fs::path& directory, int process) {
  const ChoiceStore store(directory, "region");
  Told told;
  const auto end = std::chrono::steady_clock::now() + duration();
  while (std::chrono::steady_clock::now() < end) {
    const std::size_t config = ++told.written;
    for (const int key : {process, shared_key}) {
      told.failed += save(store, entry_of(process, key, config)).empty() ? 0 : 1;
    }
    const ChoiceStore::Kept kept = store.read_all();
    const KeptChoice* const own = kept_of(kept, process);
    told.missing += own != nullptr && own->config_id == config ? 0 : 1;
    told.unread += kept.problems.size();
  }
  return told;
}

/// What the process has told in the end; failures only if it ended otherwise.
Told told_by(int pipe, pid_t pid) {
  Told told;
  const bool complete = ::read(pipe, &told, sizeof told) == static_cast<ssize_t>(sizeof told);
  int status = 0;
  const bool ended = ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return complete && ended ? told : Told{.failed = 1};
}

}  // namespace

TEST_CASE("ChoiceStore: while eight processes write, every file is whole, and then each can add its own") {
  const TemporaryDirectory directory;
  std::vector<pid_t> pids;
  std::vector<int> pipes;
  for (int process = 0; process < processes; ++process) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      const Told told = work(directory.path(), process);
      const bool written = ::write(ends[1], &told, sizeof told) == static_cast<ssize_t>(sizeof told);
      ::_exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    pids.push_back(pid);
    pipes.push_back(ends[0]);
  }
  std::vector<Told> all;
  Told sum;
  for (std::size_t process = 0; process < pids.size(); ++process) {
    all.push_back(told_by(pipes[process], pids[process]));
    ::close(pipes[process]);
    sum.written += 2 * all.back().written;
    sum.failed += all.back().failed;
    sum.missing += all.back().missing;
    sum.unread += all.back().unread;
  }
  const ChoiceStore store(directory.path(), "region");
  if (std::getenv("TEST_STORAGE_SECONDS") != nullptr) {
    std::cout << processes << " processes wrote " << sum.written << " sets in " << duration().count()
              << " s; failed: " << sum.failed << ", own choice not read: " << sum.missing
              << ", unreadable: " << sum.unread << "\n";
  }
  CHECK(sum.failed == 0);
  CHECK(sum.unread == 0);
  CHECK(store.read_all().problems.empty());
  for (int process = 0; process < processes; ++process) {
    const std::size_t config = all[static_cast<std::size_t>(process)].written + 1;
    CHECK(config > 2);
    CHECK(save(store, entry_of(process, process, config)).empty());  // as the next start of the program
  }
  const ChoiceStore::Kept kept = store.read_all();
  CHECK(only(kept.file.sets).choices.size() == processes + 1);
  for (int process = 0; process < processes; ++process) {
    const KeptChoice* const own = kept_of(kept, process);
    REQUIRE(own != nullptr);
    CHECK(own->config_id == all[static_cast<std::size_t>(process)].written + 1);
  }
  const KeptChoice* const shared = kept_of(kept, shared_key);
  REQUIRE(shared != nullptr);
  CHECK(shared->config_id <= all.at(std::stoul(shared->reason)).written);
}

TEST_CASE("ChoiceStore: a writer that is killed at any point leaves a whole file") {
  const TemporaryDirectory directory;
  const ChoiceStore store(directory.path(), "region");
  REQUIRE(save(store, entry_of(0, processes, 1)).empty());
  for (int kill = 0; kill < 50; ++kill) {
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      for (std::size_t config = 1;; ++config) {
        static_cast<void>(save(store, entry_of(0, kill % processes, config)));
      }
    }
    ::usleep(static_cast<useconds_t>(500 + 137 * kill));
    ::kill(pid, SIGKILL);
    REQUIRE(::waitpid(pid, nullptr, 0) == pid);
    const ChoiceStore::Kept kept = store.read_all();
    CHECK(kept.problems.empty());
    CHECK(kept_of(kept, processes) != nullptr);
  }
}

}  // namespace many_processes_test
