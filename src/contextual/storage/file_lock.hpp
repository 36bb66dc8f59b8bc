#pragma once

/// \file
/// Locks of files that processes hold while they write to them.

#include "contextual/storage/believed_folder.hpp"
#include "contextual/storage/descriptor.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <chrono>
#include <filesystem>
#include <optional>

namespace contextual::storage {

/// What `try_lock` has found.
enum class FileLock {
  taken,    ///< until the file is closed, or the process ends
  refused,  ///< another process or another descriptor holds it
  unknown,  ///< the file system cannot say, with errno
};

/// Locks an open file without waiting.
FileLock try_lock(int file) noexcept;

/// Opens and locks the file, so that nobody else can use it, if somebody last wrote to it so long ago.
/// Nothing where it is newer or cannot be written, or where a process uses it, which it may where the file
/// system cannot lock files.
std::optional<Descriptor> lock_if_old(const std::filesystem::path& path, std::chrono::seconds age);

/// Keeps other writers out of a folder, which it makes if it is missing, as long as what it returns is open.
/// Waits for them at most 1 s; then, and where the file system cannot lock, it returns a refusal.
Opened lock_writers(const detail::TrustedFolder& folder);

}  // namespace contextual::storage
