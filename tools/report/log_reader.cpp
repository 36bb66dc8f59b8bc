#include "decode.hpp"
#include "display_text.hpp"
#include "logs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>

namespace contextual::log_report {
namespace {

constexpr std::size_t max_line_bytes = std::size_t{4} << 20U;
constexpr std::size_t buffer_bytes = 65'536;
constexpr std::size_t damaged_lines_kept = 100;  ///< of one file, with their reasons

/// Cuts a stream into lines without ever holding more than one of them.
class LineSplitter {
 public:
  LineSplitter(std::istream& stream, std::uint64_t size)
      : stream_(&stream), left_(size), buffer_(buffer_bytes) {}

  /// False at the end of the stream.
  bool next() {
    line_.clear();
    too_long_ = false;
    complete_ = false;
    bool any = false;
    while (!complete_ && (begin_ < end_ || fill())) {
      any = true;
      const char* first = buffer_.data() + begin_;
      const void* found = std::memchr(first, '\n', end_ - begin_);
      complete_ = found != nullptr;
      const std::size_t count = complete_ ? static_cast<const char*>(found) - first : end_ - begin_;
      too_long_ = too_long_ || line_.size() + count > max_line_bytes;
      if (!too_long_) {
        line_.append(first, count);
      }
      begin_ += count + (complete_ ? 1 : 0);
    }
    return any;
  }

  const std::string& line() const { return line_; }
  bool too_long() const { return too_long_; }
  bool complete() const { return complete_; }  ///< ended by a line end

 private:
  bool fill() {
    stream_->read(buffer_.data(),
                  static_cast<std::streamsize>(std::min<std::uint64_t>(buffer_.size(), left_)));
    begin_ = 0;
    end_ = static_cast<std::size_t>(stream_->gcount());
    left_ -= end_;
    return end_ > 0;
  }

  std::istream* stream_;
  std::uint64_t left_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string line_;
  bool too_long_ = false;
  bool complete_ = false;
};

/// Sorts one file's events into its runs.
class RunCollector {
 public:
  RunCollector(Logs& logs, std::size_t file) : logs_(&logs), file_(file) {}

  void add(Event event, std::size_t line) {
    RankRun& run = run_of(event);
    if (event.rank != run.rank || event.region != run.region) {
      throw DamagedLine("rank or region differ from those of the same run before");
    }
    run.last_line = line;
    run.first_line = run.first_line == 0 ? line : run.first_line;
    std::visit([&](auto& body) { keep(run, std::move(body)); }, event.body);
  }

 private:
  RankRun& run_of(const Event& event) {
    const auto [found, is_new] = open_.try_emplace(event.run_id, nullptr);
    // Process ids repeat, and with them run ids: a second start is another run.
    const bool starts_again =
        !is_new && std::holds_alternative<RunStart>(event.body) && found->second->start.has_value();
    if (is_new || starts_again) {
      found->second = &logs_->runs.emplace_back();
      found->second->file = file_;
      found->second->run_id = event.run_id;
      found->second->rank = event.rank;
      found->second->region = event.region;
    }
    return *found->second;
  }

  static void keep(RankRun& run, RunStart&& event) { run.start = event; }
  static void keep(RankRun& run, Hello&& event) { run.hello = event; }
  static void keep(RankRun& run, DeviceConditions&& event) { run.conditions.push_back(event); }
  static void keep(RankRun& run, Launch&& event) { run.launches.push_back(event); }
  static void keep(RankRun& run, ConfigSummary&& event) { run.summaries.push_back(event); }
  static void keep(RankRun& run, Rejected&& event) { run.rejected.push_back(event); }
  static void keep(RankRun& run, Choice&& event) { run.choices.push_back(event); }
  static void keep(RankRun& run, Contest&& event) { run.contests.push_back(std::move(event)); }
  static void keep(RankRun& run, Warning&& event) { run.warnings.push_back(event.text); }
  static void keep(RankRun& run, Progress&& event) { run.progress = event; }
  static void keep(RankRun& run, Blocked&& event) { run.blocked = event; }
  static void keep(RankRun& run, RunEnd&& event) { run.end = std::move(event); }

  Logs* logs_;
  std::size_t file_;
  std::map<std::string_view, RankRun*> open_;
};

void note_damage(LogFile& file, std::string reason) {
  ++file.damaged_count;
  if (file.damaged.size() < damaged_lines_kept) {
    file.damaged.push_back({file.line_count, std::move(reason)});
  }
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

std::size_t Logs::damaged_count() const {
  std::size_t count = 0;
  for (const LogFile& file : files) {
    count += file.damaged_count;
  }
  return count;
}

bool Logs::any_readable() const {
  return std::any_of(files.begin(), files.end(), [](const LogFile& file) { return file.problem.empty(); });
}

void read_log(std::istream& stream, std::uint64_t size, LogFile file, Logs& logs) {
  LineSplitter lines(stream, size);
  RunCollector runs(logs, logs.files.size());
  while (lines.next()) {
    ++file.line_count;
    const bool blank = lines.line().find_first_not_of(" \t\r") == std::string::npos;
    if (lines.too_long()) {
      note_damage(file, "longer than " + std::to_string(max_line_bytes >> 20U) + " MiB");
    } else if (!blank) {
      try {
        DecodedLine decoded = decode_line(lines.line(), logs.pool);
        file.unknown_fields += decoded.unknown_fields;
        if (decoded.event) {
          runs.add(std::move(*decoded.event), file.line_count);
          file.last_event_line = file.line_count;
        } else {
          ++file.unknown_events;
        }
      } catch (const DamagedLine& damage) {
        note_damage(file, (lines.complete() ? "" : "half-written, the file ends here: ") +
                              std::string(damage.what()));
      }
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
