#include "contextual/storage/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
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
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  FileLock lock = FileLock::refused;
  for (auto left = longest_wait; lock == FileLock::refused && left > 0ns;
       left = end - std::chrono::steady_clock::now()) {
    // Who has just had it must not take it again before those who wait, and who has waited long goes first.
    std::this_thread::sleep_for(std::max(shortest_pause, left / pauses));
    lock = try_lock(file.get());
  }
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
