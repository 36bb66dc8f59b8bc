#pragma once

/// \file
/// A file to which whole lines are appended.

#include "contextual/storage/write_budget.hpp"

#include <atomic>
#include <filesystem>
#include <string>

namespace contextual::record {

/// Writes lines at once, in one call, so that those of several writers never interleave and a crash loses no
/// written line. Stays open, since where the disk is another machine's, closing waits for that. Thread-safe.
class LineFile {
 public:
  /// Opens the file at `path` for appending, and never truncates it. A process that was forked from one that
  /// had opened the path gets a file of its own beside it, named by its process id: "rank-0.4711.log" for
  /// "rank-0.log". Creates the file but not its directory. Waits up to 25 ms where the file ends in the
  /// middle of a line, to see that nobody is writing it. Throws std::system_error with the system's reason,
  /// also for a link, which may lead to a file that is no log.
  explicit LineFile(std::filesystem::path path);
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  ~LineFile();

  /// Appends one line, or several; the last one has no line end. If the file ends in the middle of a line,
  /// because a process died or a write failed, ends that line first. In a process that was forked since,
  /// writes to that process's own file. Returns the reason of a failure, such as a full disk or a spent
  /// budget, or an empty text if it is written. Waiting for other threads that write is not charged.
  std::string append(const std::string& lines, storage::WriteBudget& budget) noexcept;

  /// The file that was opened.
  const std::filesystem::path& path() const noexcept;

 private:
  class Opened;

  Opened& of_this_process();

  const std::filesystem::path name_;
  std::atomic<Opened*> opened_;  ///< that of a parent process is left alone: another thread may hold its lock
};

}  // namespace contextual::record
