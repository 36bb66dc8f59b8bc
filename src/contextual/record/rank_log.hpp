#pragma once

/// \file
/// One rank's two logs: `rank-{i}.log` for people and `rank-{i}.jsonl` for programs (docs/log-format.md).

#include "contextual/record/events.hpp"
#include "contextual/storage/write_budget.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace contextual::record {

/// Appends to two files, flushes each line and never truncates. All logs of one rank and directory in one
/// process write to the same files. A process that was forked from one that had opened them writes files of
/// its own beside them: `rank-{i}.{pid}.log` and `.jsonl`. Thread-safe.
class RankLog {
 public:
  /// Creates `directory` and missing parents, and opens the files. Throws InvalidArgument, which names the
  /// directory, the system's reason and what to change; or std::system_error with the same text where
  /// descriptors, memory or room on the disk are short, which passes. Once the logs of this process have
  /// `most_bytes`, all of them together, lines of iterations and of measured configs are left out; choices,
  /// failures and warnings never are. Each log says so once.
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

  const std::filesystem::path& directory() const noexcept;  ///< absolute
  const std::filesystem::path& text_path() const noexcept;
  const std::filesystem::path& json_path() const noexcept;

 private:
  struct Files;
  std::shared_ptr<Files> files_;  ///< of this log's copies, too
};

}  // namespace contextual::record
