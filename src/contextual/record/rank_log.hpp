#pragma once

/// \file
/// One rank's two logs: `rank-{i}.log` for people and `rank-{i}.jsonl` for programs (docs/log-format.md).

#include "contextual/record/events.hpp"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>

namespace contextual::record {

class LineFile;

/// Appends to two files, flushes each line and never truncates. All logs of one rank and directory in one
/// process write to the same files. A process that was forked from one that had opened them writes files of
/// its own beside them: `rank-{i}.{pid}.log` and `.jsonl`. Thread-safe.
class RankLog {
 public:
  /// Creates `directory` and missing parents, and opens the files. Throws InvalidArgument, which names the
  /// directory, the system's reason and what to change. `most_bytes`: see Options::log_bytes.
  RankLog(const std::filesystem::path& directory, int rank,
          std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

  /// Writes the event to both logs. It formats and does file I/O, so call it after the settle, never while
  /// the region runs. An error, such as a full disk, is not thrown but reported on stderr, once for both
  /// logs.
  void write(const Event& event) noexcept;

  const std::filesystem::path& directory() const noexcept { return directory_; }  ///< absolute
  const std::filesystem::path& text_path() const noexcept;
  const std::filesystem::path& json_path() const noexcept;

 private:
  void append(LineFile& file, const std::string& line) const noexcept;
  /// Returns false for an event that is left out, because the logs of this process are as large as they may
  /// be. Says so, once in the process.
  bool has_room(const Event& event) const;
  void write_lines(const Event& event) const;
  void complain(const std::string& what) const noexcept;

  std::filesystem::path directory_;
  std::shared_ptr<LineFile> text_;
  std::shared_ptr<LineFile> json_;
  std::size_t most_bytes_;
  std::shared_ptr<std::atomic<bool>> complained_;  ///< shared by this log's copies
};

}  // namespace contextual::record
