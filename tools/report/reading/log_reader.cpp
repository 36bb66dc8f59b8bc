#include "report/format/texts.hpp"
#include "report/reading/logs.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace contextual::log_report {
namespace {

constexpr std::size_t max_line_bytes = std::size_t{4} << 20U;

/// Adds events to a run: the last one of a kind, or all of them.
struct Keeper {
  RankRun& run;
  TextPool& pool;

  void operator()(const RunStart& event) const { run.start = event; }
  void operator()(const Hello& event) const { run.hello = event; }
  void operator()(const Launch& event) const { run.launches.emplace_back(event, run.rank, pool); }
  void operator()(const ConfigSummary& event) const { run.summaries.push_back(event); }
  void operator()(const Rejected& event) const { run.rejected.push_back(event); }
  void operator()(const Choice& event) const { run.choices.push_back(event); }
  void operator()(SearchResult& event) const { run.searches.push_back(std::move(event)); }
  void operator()(Timeline& event) const { run.timelines.push_back(std::move(event)); }
  void operator()(Limit& event) const { run.limit = std::move(event); }
  void operator()(const Progress& event) const { run.progress = event; }
  void operator()(Blocked& event) const { run.blocked = std::move(event); }
  void operator()(const Warning& event) const {
    run.warnings.push_back(event.text);
    run.blocked.reset();
  }
  void operator()(RunEnd& event) const {
    run.end = std::move(event);
    run.blocked.reset();
  }
  template <typename Other>  // nothing in the report is about it
  void operator()(const Other& /*event*/) const {}
};

/// Reads one file and assigns its events to its runs.
class FileReader {
 public:
  FileReader(LogFile& file, Logs& logs) : file_(file), logs_(logs) {}

  /// Empty for a line that is too long.
  void read(std::optional<std::string_view> line, bool is_complete) {
    ++file_.line_count;
    try {
      if (!line) {
        throw DamagedLine("longer than " + std::to_string(max_line_bytes >> 20U) + " MiB");
      }
      if (line->find_first_not_of(" \t\r") != std::string_view::npos) {
        read_event(*line);
      }
    } catch (const DamagedLine& damage) {
      if (file_.damaged_count++ == 0) {
        file_.first_damage = "line " + std::to_string(file_.line_count) + ": " +
                             (line && !is_complete ? "half-written, the file ends here: " : "") +
                             damage.what();
      }
    }
  }

 private:
  void read_event(std::string_view line) {
    std::optional<Event> event = decode_line(line, logs_.pool);
    if (!event) {
      return;
    }
    RankRun& run = run_of(*event);
    if (event->rank != run.rank || event->region != run.region) {
      throw DamagedLine("rank or region differ from those of the same run before");
    }
    run.last_line = file_.last_event_line = file_.line_count;
    std::visit(Keeper{run, logs_.pool}, event->body);
  }

  RankRun& run_of(const Event& event) {
    RankRun*& run = open_[event.run_id];
    // Process ids repeat, and with them run ids: a second start is another run.
    if (run == nullptr || (std::holds_alternative<RunStart>(event.body) && run->start)) {
      run = &logs_.runs.emplace_back(RankRun{.file = logs_.files.size(),
                                             .run_id = event.run_id,
                                             .rank = event.rank,
                                             .region = event.region,
                                             .first_line = file_.line_count});
    }
    return *run;
  }

  LogFile& file_;
  Logs& logs_;
  std::map<std::string_view, RankRun*> open_;
};

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
  FileReader reader(file, logs);
  const auto buffer = std::make_unique_for_overwrite<char[]>(max_line_bytes + 2);
  for (std::uint64_t left = size; left > 0;) {
    stream.getline(buffer.get(), static_cast<std::streamsize>(max_line_bytes + 2));
    auto count = static_cast<std::uint64_t>(stream.gcount());
    if (count == 0) {
      break;
    }
    const bool too_long = stream.fail() && !stream.eof();
    const std::string_view line(buffer.get(), count - (stream.eof() || too_long ? 0 : 1));
    if (too_long) {
      stream.clear();
      stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
      count += static_cast<std::uint64_t>(stream.gcount());
    }
    reader.read(too_long ? std::nullopt : std::optional(line), !stream.eof());
    left -= std::min(left, count);
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
