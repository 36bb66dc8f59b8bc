#include "contextual/storage/file_calls.hpp"

#include "contextual/storage/file_size_signal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace contextual::storage {
namespace {

constexpr FileCalls posix{
    .openat = [](int folder, const char* name, int flags,
                 mode_t mode) { return ::openat(folder, name, flags, mode); },
    .fstat = [](int file, struct stat* status) { return ::fstat(file, status); },
    .fstatat = [](int folder, const char* name, struct stat* status,
                  int flags) { return ::fstatat(folder, name, status, flags); },
    .read = ::read,
    .write =
        [](int file, const void* bytes, std::size_t count) {
          const FileSizeSignalBlock blocked;
          return ::write(file, bytes, count);
        },
    .fsync = ::fsync,
    .close = ::close,
    .renameat = ::renameat,
    .unlinkat = ::unlinkat,
    .mkdir = ::mkdir,
    .fdopendir = ::fdopendir,
    .readdir = ::readdir,
    .closedir = ::closedir,
};

constinit std::atomic<const FileCalls*> in_force{&posix};

}  // namespace

bool is_shortage(int code) noexcept {
  return code == EMFILE || code == ENFILE || code == ENOMEM || code == ENOSPC || code == EDQUOT;
}

const FileCalls& posix_file_calls() noexcept {
  return posix;
}

const FileCalls& file_calls() noexcept {
  return *in_force.load(std::memory_order_acquire);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = file_calls().write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      errno = written == 0 ? EIO : errno;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

FileCallsReplacement::FileCallsReplacement(const FileCalls& replacement) noexcept
    : saved_(in_force.exchange(&replacement)) {}

FileCallsReplacement::~FileCallsReplacement() {
  in_force.store(saved_);
}

}  // namespace contextual::storage
