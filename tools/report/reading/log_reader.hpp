#pragma once

/// \file
/// Reads log files, whatever they contain.

#include "report/reading/logs.hpp"

#include <cstdint>
#include <filesystem>
#include <istream>

namespace contextual::log_report {

/// Reads all `rank-N.jsonl` of a directory, in the order of N. If a file cannot be read, LogFile::problem
/// says why. Throws std::runtime_error if `directory` is not a directory or cannot be listed. Memory is
/// proportional to the sizes of the files. A line of more than 4 MiB is skipped as damaged and never held in
/// memory.
Logs read_directory(const std::filesystem::path& directory);

/// Adds the events of a file to `logs`. Reads at most `size` bytes, so that it ends even if the file grows
/// meanwhile.
void read_log(std::istream& stream, std::uint64_t size, LogFile file, Logs& logs);

}  // namespace contextual::log_report
