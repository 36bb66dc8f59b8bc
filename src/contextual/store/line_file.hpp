#pragma once

/// \file
/// A file to which whole lines are appended, shared by all writers of this process.

#include <filesystem>
#include <memory>
#include <string_view>

namespace contextual::store {

/// Thread-safe. A line is written and flushed before the next one begins, so lines of several writers never
/// interleave and a crash loses none that was written.
class LineFile {
 public:
  /// The file at `path`, opened for appending and never truncated; writers of one path in one process get the
  /// same one. Creates the file, not its directory. Throws std::exception with the system's reason.
  static std::shared_ptr<LineFile> open(const std::filesystem::path& path);

  virtual ~LineFile() = default;

  /// Appends one line; `line` has no line end. An error (a full disk) is said once on stderr and then
  /// ignored: a log never ends a region. Does nothing in a process that was forked after `open`, whose lines
  /// would mix with the parent's.
  virtual void append(std::string_view line) noexcept = 0;
};

}  // namespace contextual::store
