#include "contextual/storage/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace contextual::storage {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* lock_name = ".lock";
constexpr std::chrono::steady_clock::duration longest_wait = 1s;
constexpr std::chrono::steady_clock::duration shortest_pause = 100us;
constexpr std::chrono::steady_clock::duration wait_for_stuck = 10ms;
constexpr int pauses = 250;

/// Where somebody else may write, another user's file may only be read; that suffices, but for NFS.
Descriptor open_lock(const fs::path& path) {
  constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Descriptor file(file_calls().openat(AT_FDCWD, path.c_str(), O_RDWR | flags, 0));
  if (!file.open() && errno == EACCES) {
    file = Descriptor(file_calls().openat(AT_FDCWD, path.c_str(), O_RDONLY | flags, 0));
  }
  return file;
}

/// The locks that were not to be had at the last attempt. Who holds one of them may be stuck: a program with
/// many regions waits for it once.
class StuckLocks {
 public:
  static StuckLocks& of_this_process() {
    static auto* const locks = new StuckLocks;  // outlives static objects
    return *locks;
  }
  bool contains(const fs::path& path) {
    const std::lock_guard lock(mutex_);
    return paths_.contains(path);
  }
  void note(const fs::path& path, FileLock seen) {
    const std::lock_guard lock(mutex_);
    seen == FileLock::refused ? static_cast<void>(paths_.insert(path))
                              : static_cast<void>(paths_.erase(path));
  }

 private:
  std::mutex mutex_;
  std::set<fs::path> paths_;
};

}  // namespace

FileLock try_lock(int file) noexcept {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    return FileLock::taken;
  }
  return errno == EWOULDBLOCK ? FileLock::refused : FileLock::unknown;
}

Opened lock_writers(const detail::TrustedFolder& folder) {
  if (std::string problem = folder.make(lock_name); !problem.empty()) {
    return {Descriptor(), std::move(problem)};
  }
  const fs::path path = folder.path() / lock_name;
  Descriptor file = open_lock(path);
  if (!file.open()) {
    return {Descriptor(), failure_text(path, "it cannot be opened")};
  }
  StuckLocks& stuck = StuckLocks::of_this_process();
  const auto wait = stuck.contains(path) ? wait_for_stuck : longest_wait;
  const auto end = std::chrono::steady_clock::now() + wait;
  FileLock lock = FileLock::refused;
  for (auto left = wait; lock == FileLock::refused && left > 0ns;
       left = end - std::chrono::steady_clock::now()) {
    // Who has just had it must not take it again before those who wait, and who has waited long goes first.
    std::this_thread::sleep_for(std::max(shortest_pause, left / pauses));
    lock = try_lock(file.get());
  }
  stuck.note(path, lock);
  switch (lock) {
    case FileLock::taken:
      break;
    case FileLock::refused:
      return {Descriptor(), path.string() + ": other processes have held this lock for 1 s"};
    case FileLock::unknown:
      return {Descriptor(), failure_text(path, "it cannot be locked")};
  }
  return {std::move(file)};
}

/// NFS locks a file exclusively only where it is open for writing.
std::optional<Descriptor> lock_if_old(const fs::path& path, std::chrono::seconds age) {
  std::error_code unknown;
  const fs::file_time_type written = fs::last_write_time(path, unknown);
  if (unknown || written >= fs::file_time_type::clock::now() - age) {
    return std::nullopt;
  }
  Descriptor file(
      file_calls().openat(AT_FDCWD, path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!file.open() || try_lock(file.get()) != FileLock::taken) {
    return std::nullopt;
  }
  return file;
}

}  // namespace contextual::storage
