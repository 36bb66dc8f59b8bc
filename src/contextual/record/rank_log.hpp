#pragma once

/// \file
/// One rank's two logs: `rank-{i}.log` for people and `rank-{i}.jsonl` for programs (docs/log-format.md).

#include "contextual/record/events.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

namespace contextual::record {

class LineFile;

/// Thread-safe. Append-only, flushed per line, never truncated; all logs of one rank and directory in one
/// process write to the same two files. A process that was forked from one that had opened them writes files
/// of its own beside them: `rank-{i}.{pid}.log` and `.jsonl`.
class RankLog {
 public:
  /// Creates `directory` and its parents where missing, and opens the files.
  /// Throws InvalidArgument naming the directory, the system's reason and what to change.
  RankLog(const std::filesystem::path& directory, int rank);

  /// Writes the event to both logs. Not for the region's own time: it formats and does file I/O, so call it
  /// after the settle. An error, such as a full disk, is said once on stderr for both logs, never thrown.
  void write(const Event& event) noexcept;

  const std::filesystem::path& directory() const noexcept { return directory_; }  ///< absolute
  const std::filesystem::path& text_path() const noexcept;
  const std::filesystem::path& json_path() const noexcept;

 private:
  void append(LineFile& file, const std::string& line) const noexcept;
  void complain(const std::string& what) const noexcept;

  std::filesystem::path directory_;
  std::shared_ptr<LineFile> text_;
  std::shared_ptr<LineFile> json_;
  std::shared_ptr<std::atomic<bool>> complained_;  ///< shared by this log's copies
};

}  // namespace contextual::record
