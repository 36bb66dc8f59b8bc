#include "report/reading/log_reader.hpp"

#include "report/format/printable.hpp"
#include "report/reading/decode.hpp"
#include "report/reading/line_splitter.hpp"
#include "report/reading/run_collector.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t damaged_lines_kept = 100;  ///< of one file, with their reasons

void note_damage(LogFile& file, std::string reason) {
  ++file.damaged_count;
  if (file.damaged.size() < damaged_lines_kept) {
    file.damaged.push_back({file.line_count, std::move(reason)});
  }
}

/// Throws DamagedLine.
void read_line(const LineSplitter& lines, LogFile& file, RunCollector& runs, TextPool& pool) {
  if (lines.too_long()) {
    throw DamagedLine("longer than " + std::to_string(LineSplitter::max_line_bytes >> 20U) + " MiB");
  }
  if (lines.line().find_first_not_of(" \t\r") == std::string::npos) {
    return;
  }
  DecodedLine decoded = decode_line(lines.line(), pool);
  file.unknown_fields += decoded.unknown_fields;
  if (!decoded.event) {
    ++file.unknown_events;
    return;
  }
  runs.add(std::move(*decoded.event), file.line_count);
  file.last_event_line = file.line_count;
}

/// N of "rank-N.jsonl", written as the library writes it.
std::optional<std::int64_t> process_of(const std::string& name) {
  constexpr std::string_view before = "rank-";
  constexpr std::string_view after = ".jsonl";
  if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size()) {
    return std::nullopt;
  }
  const char* first = name.data() + before.size();
  const char* last = name.data() + name.size() - after.size();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  const bool plain = error == std::errc{} && end == last && number >= 0 &&
                     std::to_string(number) == std::string(first, last);
  return plain ? std::optional(number) : std::nullopt;
}

std::optional<std::int64_t> written_s(const std::filesystem::path& path) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  if (error) {
    return std::nullopt;
  }
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

void read_file(const std::filesystem::path& path, LogFile file, Logs& logs) {
  std::error_code error;
  file.written_s = written_s(path);
  const bool regular = std::filesystem::is_regular_file(path, error);
  const std::uint64_t size = regular ? std::filesystem::file_size(path, error) : 0;
  std::ifstream stream;
  if (regular && !error) {
    stream.open(path, std::ios::binary);  // only now: opening a pipe would wait
  }
  if (!regular || error || !stream) {
    file.problem = error     ? printable(error.message())
                   : regular ? printable(std::strerror(errno))
                             : "not a regular file";
    logs.files.push_back(std::move(file));
    return;
  }
  read_log(stream, size, std::move(file), logs);
}

}  // namespace

void read_log(std::istream& stream, std::uint64_t size, LogFile file, Logs& logs) {
  LineSplitter lines(stream, size);
  RunCollector runs(logs, logs.files.size());
  while (lines.next()) {
    ++file.line_count;
    try {
      read_line(lines, file, runs, logs.pool);
    } catch (const DamagedLine& damage) {
      note_damage(file, (lines.complete() || lines.too_long() ? "" : "half-written, the file ends here: ") +
                            std::string(damage.what()));
    }
  }
  if (stream.bad()) {
    file.problem = "reading stopped after line " + std::to_string(file.line_count);
  }
  logs.files.push_back(std::move(file));
}

Logs read_directory(const std::filesystem::path& directory) {
  std::map<std::int64_t, std::filesystem::path> paths;
  std::error_code error;
  std::filesystem::directory_iterator entries(directory, error);
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    if (const auto process = process_of(entries->path().filename().string())) {
      paths.emplace(*process, entries->path());
    }
  }
  if (error) {
    throw std::runtime_error("cannot list " + printable(directory.string()) + ": " + error.message());
  }
  Logs logs;
  for (const auto& [process, path] : paths) {
    LogFile file;
    file.name = printable(path.filename().string());
    file.process = process;
    read_file(path, std::move(file), logs);
  }
  return logs;
}

}  // namespace contextual::log_report
