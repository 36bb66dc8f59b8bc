#pragma once

/// \file
/// What kept files ask of the operating system, as a table of functions that tests can replace: disks that
/// are full and network file systems that answer late or wrongly cannot be had on cue.

#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <string_view>

namespace contextual::storage {

/// With the names, parameters and results of POSIX; all of them report failures in errno.
struct FileCalls {
  int (*openat)(int folder, const char* name, int flags, mode_t mode);
  int (*fstat)(int file, struct stat* status);
  int (*fstatat)(int folder, const char* name, struct stat* status, int flags);
  ssize_t (*read)(int file, void* bytes, std::size_t count);
  ssize_t (*write)(int file, const void* bytes, std::size_t count);
  int (*fsync)(int file);
  int (*close)(int file);
  int (*renameat)(int folder, const char* from, int to_folder, const char* to);
  int (*unlinkat)(int folder, const char* name, int flags);
  int (*mkdir)(const char* path, mode_t mode);
  DIR* (*fdopendir)(int folder);
  dirent* (*readdir)(DIR* listing);
  int (*closedir)(DIR* listing);
};

/// Does this value of errno say that descriptors, memory or room on the disk are used up? That passes, and
/// says nothing about what is there.
bool is_shortage(int code) noexcept;

/// Returns those of the operating system, whatever is in force.
const FileCalls& posix_file_calls() noexcept;

/// Returns those in force. Thread-safe.
const FileCalls& file_calls() noexcept;

/// Writes all of `text`, in one call if the system takes it. Returns false, with errno, if it could not.
bool write_all(int file, std::string_view text);

/// Puts another table in force as long as this object lives, for tests. Nothing may be kept or read while it
/// is made or destroyed.
class FileCallsReplacement {
 public:
  explicit FileCallsReplacement(const FileCalls& replacement) noexcept;
  explicit FileCallsReplacement(FileCalls&&) = delete;  ///< the table must live as long
  FileCallsReplacement(const FileCallsReplacement&) = delete;
  FileCallsReplacement& operator=(const FileCallsReplacement&) = delete;
  ~FileCallsReplacement();

 private:
  const FileCalls* saved_;
};

}  // namespace contextual::storage
