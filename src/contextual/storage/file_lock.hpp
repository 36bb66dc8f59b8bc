#pragma once

/// \file
/// Locks of journals, which processes hold while they write to them.

#include "contextual/storage/descriptor.hpp"

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

}  // namespace contextual::storage
