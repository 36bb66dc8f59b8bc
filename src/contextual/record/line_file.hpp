#pragma once

/// \file
/// A file to which whole lines are appended, shared by all writers of this process.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace contextual::record {

/// Thread-safe. A line is written and flushed before the next one begins, so lines of several writers never
/// interleave and a crash loses none that was written.
class LineFile {
 public:
  /// The file at `path`, opened for appending and never truncated; writers of one path in one process get the
  /// same one. In a process that was forked from one that had opened the path, it is a file of its own beside
  /// it: "rank-0.4711.log" for "rank-0.log", by the process id. Creates the file, not its directory. Throws
  /// std::exception with the system's reason.
  static std::shared_ptr<LineFile> open(const std::filesystem::path& path);

  virtual ~LineFile() = default;

  /// Appends one line; `line` has no line end. If the file was left in the middle of a line, by a process
  /// that died or by an error, that line is ended first. In a process that was forked after `open`, the line
  /// goes to that process's own file. Returns what failed, such as a full disk, empty if the line is written.
  virtual std::string append(std::string_view line) noexcept = 0;

  /// The file that was opened.
  virtual const std::filesystem::path& path() const noexcept = 0;
};

}  // namespace contextual::record
