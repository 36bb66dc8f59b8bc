#pragma once

/// \file
/// One rank's two logs: `rank-{i}.log` for people and `rank-{i}.jsonl` for programs (docs/log-format.md).

#include "contextual/record/events.hpp"
#include "contextual/storage/write_budget.hpp"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace contextual::record {

class LineFile;

/// Appends to two files, flushes each line and never truncates. All logs of one rank and directory in one
/// process write to the same files. A process that was forked from one that had opened them writes files of
/// its own beside them: `rank-{i}.{pid}.log` and `.jsonl`. Thread-safe.
class RankLog {
 public:
  /// Creates `directory` and missing parents, and opens the files. Throws InvalidArgument, which names the
  /// directory, the system's reason and what to change; or std::system_error with the same text where
  /// descriptors, memory or room on the disk are short, which passes. Once the logs of this process have
  /// `most_bytes`, all of them together, lines of iterations and of measured configs are left out; choices,
  /// failures and warnings never are. The log says so once.
  RankLog(const std::filesystem::path& directory, int rank,
          std::shared_ptr<storage::WriteBudget> budget = std::make_shared<storage::WriteBudget>(),
          std::size_t most_bytes = std::size_t{64} << 20U);

  /// Writes the event to both logs. It formats and does file I/O, so call it after the settle, never while
  /// the region runs. An error, such as a full disk, is not thrown but reported on stderr, once for both
  /// logs. Nothing more is written to that file by this object and its copies, because each attempt may take
  /// long.
  void write(const Event& event) noexcept { write(std::span(&event, 1)); }
  /// The same of several events, whose lines reach each file in one write.
  void write(std::span<const Event> events) noexcept;

  const std::filesystem::path& directory() const noexcept { return directory_; }  ///< absolute
  const std::filesystem::path& text_path() const noexcept;
  const std::filesystem::path& json_path() const noexcept;

 private:
  /// Lines of both logs, without the end of the last one.
  struct Lines {
    std::string json;
    std::string text;
  };
  void append(LineFile& file, std::atomic<bool>& closed, const std::string& lines) const;
  /// Returns false for an event that is left out, because the logs of this process are as large as they may
  /// be. Says so, once in the process.
  bool has_room(const Event& event, Lines& lines) const;
  void complain(const std::string& what) const noexcept;

  std::filesystem::path directory_;
  std::shared_ptr<LineFile> text_;
  std::shared_ptr<LineFile> json_;
  std::size_t most_bytes_;
  std::shared_ptr<storage::WriteBudget> budget_;
  struct Shared {
    std::atomic<bool> complained{false};
    std::atomic<bool> text_closed{false};
    std::atomic<bool> json_closed{false};
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();  ///< by this log's copies
};

}  // namespace contextual::record
