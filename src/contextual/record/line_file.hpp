#pragma once

/// \file
/// A file to which whole lines are appended, shared by all writers of this process.

#include "contextual/storage/write_budget.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace contextual::record {

/// Writes and flushes each line before the next one begins, so that lines of several writers never interleave
/// and a crash loses no written line. Thread-safe.
class LineFile {
 public:
  /// Opens the file at `path` for appending, and never truncates it. All writers of a path in one process
  /// share one file. A process that was forked from one that had opened the path gets a file of its own
  /// beside it, named by its process id: "rank-0.4711.log" for "rank-0.log". Creates the file but not its
  /// directory. Throws std::system_error with the system's reason, or std::runtime_error for a link.
  static std::shared_ptr<LineFile> open(const std::filesystem::path& path);

  virtual ~LineFile() = default;

  /// Appends one line, or several in one write; the last one has no line end. If the file ends in the middle
  /// of a line, because a process died or a write failed, ends that line first, and waits 25 ms at most to
  /// see that nobody is writing it. In a process that was forked after `open`, writes to that process's own
  /// file. Returns the reason of a failure, such as a full disk or a spent budget, or an empty text if it is
  /// written. Waiting for other threads that write is not charged.
  virtual std::string append(std::string_view lines, storage::WriteBudget& budget) noexcept = 0;

  /// The file that was opened.
  virtual const std::filesystem::path& path() const noexcept = 0;
};

}  // namespace contextual::record
