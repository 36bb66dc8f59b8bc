#pragma once

/// \file
/// Writes at the limit of a file's size (`ulimit -f`).

#include <csignal>

namespace contextual::storage {

/// As long as it lives, a write of this thread beyond that limit fails with EFBIG, as on a full disk. The
/// SIGXFSZ that comes with it would end a process that knows nothing of it. The program's own writes and
/// other threads are as they were. Leaves errno alone, and may be used in a signal handler. Three system
/// calls.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() noexcept;
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;
  ~FileSizeSignalBlock();

 private:
  ::sigset_t before_{};
  bool was_pending_ = false;  ///< the program has blocked it, and has one of its own
};

}  // namespace contextual::storage
