#include "contextual/storage/file_size_signal.hpp"

#include <cerrno>
#include <ctime>

namespace contextual::storage {
namespace {

::sigset_t file_size_signal() noexcept {
  ::sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGXFSZ);
  return set;
}

}  // namespace

FileSizeSignalBlock::FileSizeSignalBlock() noexcept {
  const ::sigset_t signal = file_size_signal();
  ::pthread_sigmask(SIG_BLOCK, &signal, &before_);
  if (::sigismember(&before_, SIGXFSZ) == 1) {
    ::sigset_t pending;
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGXFSZ) == 1;
  }
}

FileSizeSignalBlock::~FileSizeSignalBlock() {
  const int code = errno;
  const ::sigset_t signal = file_size_signal();
  constexpr ::timespec at_once{};
  while (!was_pending_ && ::sigtimedwait(&signal, nullptr, &at_once) < 0 && errno == EINTR) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = code;
}

}  // namespace contextual::storage
