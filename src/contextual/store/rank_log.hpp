#pragma once

/// \file
/// One rank's two logs: `rank-{i}.log` for people and `rank-{i}.jsonl` for programs (docs/log-format.md).

#include "contextual/store/events.hpp"

#include <filesystem>
#include <memory>

namespace contextual::store {

class LineFile;

/// Thread-safe. Append-only, flushed per line, never truncated; all logs of one rank and directory in one
/// process write to the same two files. Silent after a fork, in the child.
class RankLog {
 public:
  /// Creates `directory` and its parents where missing, and opens the files.
  /// Throws InvalidArgument naming the directory, the system's reason and what to change.
  RankLog(const std::filesystem::path& directory, int rank);

  /// Writes the event to both logs. Not for the region's own time: it formats and does file I/O, so call it
  /// after the settle. An error is said once on stderr, never thrown.
  void write(const Event& event) noexcept;

  const std::filesystem::path& directory() const noexcept { return directory_; }  ///< absolute
  const std::filesystem::path& text_path() const noexcept { return text_path_; }
  const std::filesystem::path& json_path() const noexcept { return json_path_; }

 private:
  std::filesystem::path directory_;
  std::filesystem::path text_path_;
  std::filesystem::path json_path_;
  std::shared_ptr<LineFile> text_;
  std::shared_ptr<LineFile> json_;
};

}  // namespace contextual::store
