#include "contextual/storage/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

namespace contextual::storage {

FileLock try_lock(int file) noexcept {
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    return FileLock::taken;
  }
  return errno == EWOULDBLOCK ? FileLock::refused : FileLock::unknown;
}

/// NFS locks a file exclusively only where it is open for writing.
std::optional<Descriptor> lock_if_old(const std::filesystem::path& path, std::chrono::seconds age) {
  std::error_code unknown;
  const std::filesystem::file_time_type written = std::filesystem::last_write_time(path, unknown);
  if (unknown || written >= std::filesystem::file_time_type::clock::now() - age) {
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
