#pragma once

/// \file
/// Locks of files that processes hold while they write to them.

namespace contextual::storage {

/// What `try_lock` has found.
enum class FileLock {
  taken,    ///< until the file is closed, or the process ends
  refused,  ///< another process or another descriptor holds it
  unknown,  ///< the file system cannot say, with errno
};

enum class LockKind { exclusive, shared };

/// Locks an open file without waiting.
FileLock try_lock(int file, LockKind kind) noexcept;

}  // namespace contextual::storage
