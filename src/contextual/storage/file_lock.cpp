#include "contextual/storage/file_lock.hpp"

#include <sys/file.h>

#include <cerrno>

namespace contextual::storage {

FileLock try_lock(int file, LockKind kind) noexcept {
  const int operation = kind == LockKind::exclusive ? LOCK_EX : LOCK_SH;
  if (::flock(file, operation | LOCK_NB) == 0) {
    return FileLock::taken;
  }
  return errno == EWOULDBLOCK ? FileLock::refused : FileLock::unknown;
}

}  // namespace contextual::storage
