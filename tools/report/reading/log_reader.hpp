#pragma once

/// \file
/// Reads log files, whatever they hold.

#include "report/reading/logs.hpp"

#include <cstdint>
#include <filesystem>
#include <istream>

namespace contextual::log_report {

/// Reads all `rank-N.jsonl` of a directory, in the order of N. A file that cannot be read has its reason in
/// LogFile::problem. Throws std::runtime_error when `directory` is none or cannot be listed. Memory: in
/// proportion to the files' sizes; a line of more than 4 MiB is skipped as damaged and never kept.
Logs read_directory(const std::filesystem::path& directory);

/// Adds a file's events to `logs`. Reads at most `size` bytes, so that a file which grows meanwhile comes to
/// an end.
void read_log(std::istream& stream, std::uint64_t size, LogFile file, Logs& logs);

}  // namespace contextual::log_report
