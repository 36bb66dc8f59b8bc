#include "contextual/record/rank_log.hpp"

#include "contextual/record/line_file.hpp"
#include "contextual/record/log_lines.hpp"
#include "contextual/record/printer.hpp"
#include "contextual/storage/file_calls.hpp"
#include "contextual/storage/lasting_path.hpp"

#include <contextual/error.hpp>

#include <atomic>
#include <exception>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace contextual::record {
namespace {

[[noreturn]] void cannot_log(const std::filesystem::path& directory, const std::string& reason,
                             const std::error_code& code) {
  const std::string text = "cannot write logs to the directory '" + directory.string() + "'";
  if (storage::is_shortage(code.value())) {
    throw std::system_error(code, text);
  }
  throw InvalidArgument(
      text + ": " + reason +
      ". Set CONTEXTUAL_LOG_DIR, or .log_directory of the options, to a directory that can be "
      "written; an empty .log_directory writes no log");
}

std::filesystem::path make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::filesystem::path absolute = error ? directory : std::filesystem::canonical(directory, error);
  if (error) {
    cannot_log(directory, error.message(), error);
  }
  return absolute;
}

/// Of all logs that this process has written.
std::atomic<std::size_t> written_bytes{0};

/// Events of which there are many in a run, and without which its log still says what was chosen and why.
bool is_left_out_first(const EventBody& body) {
  return std::holds_alternative<LaunchRow>(body) || std::holds_alternative<DeviceConditions>(body) ||
         std::holds_alternative<ConfigSummary>(body) || std::holds_alternative<Timeline>(body) ||
         std::holds_alternative<Progress>(body);
}

void add_line(const std::string& line, std::string& lines) {
  if (!line.empty()) {
    lines.append(lines.empty() ? "" : "\n").append(line);
  }
}

}  // namespace

struct RankLog::Files {
  /// One of the two logs.
  struct File {
    explicit File(const std::filesystem::path& path) : file(path) {}

    LineFile file;
    std::atomic<bool> closed{false};  ///< after a failure
  };

  Files(std::filesystem::path in, const std::string& name, std::shared_ptr<storage::WriteBudget> time,
        std::size_t most)
      : directory(std::move(in)),
        text(directory / (name + ".log")),
        json(directory / (name + ".jsonl")),
        most_bytes(most),
        budget(std::move(time)) {}

  void append(File& log, const std::string& lines) {
    if (lines.empty() || log.closed.load(std::memory_order_relaxed)) {
      return;
    }
    if (const std::string error = log.file.append(lines, *budget); error.empty()) {
      written_bytes.fetch_add(lines.size() + 1, std::memory_order_relaxed);
    } else {
      log.closed.store(true, std::memory_order_relaxed);
      complain("write to " + log.file.path().string() + ": " + error);
    }
  }

  void complain(const std::string& what) noexcept {
    if (!complained.exchange(true)) {
      print_to_stderr("[contextual] cannot " + what + ". This run's log ends here; tuning goes on.");
    }
  }

  const std::filesystem::path directory;
  File text;
  File json;
  const std::size_t most_bytes;
  const std::shared_ptr<storage::WriteBudget> budget;
  std::atomic<bool> complained{false};
  std::atomic<bool> said_full{false};
};

RankLog::RankLog(const std::filesystem::path& directory, int rank,
                 std::shared_ptr<storage::WriteBudget> budget, std::size_t most_bytes) {
  std::filesystem::path absolute = make_directory(storage::lasting_path(directory));
  try {
    files_ = std::make_shared<Files>(std::move(absolute), "rank-" + std::to_string(rank), std::move(budget),
                                     most_bytes);
  } catch (const std::system_error& error) {
    cannot_log(directory, error.what(), error.code());
  } catch (const std::bad_alloc& error) {
    cannot_log(directory, error.what(), std::make_error_code(std::errc::not_enough_memory));
  }
}

const std::filesystem::path& RankLog::directory() const noexcept {
  return files_->directory;
}

const std::filesystem::path& RankLog::text_path() const noexcept {
  return files_->text.file.path();
}

const std::filesystem::path& RankLog::json_path() const noexcept {
  return files_->json.file.path();
}

void RankLog::write(std::span<const Event> events) noexcept {
  try {
    std::string json;
    std::string text;
    const auto add = [&](const Event& event) {
      add_line(to_json_line(event), json);
      add_line(to_text(event), text);
    };
    for (const Event& event : events) {
      const std::size_t bytes = written_bytes.load(std::memory_order_relaxed) + json.size() + text.size();
      if (bytes < files_->most_bytes || !is_left_out_first(event.body)) {
        add(event);
      } else if (!files_->said_full.exchange(true)) {
        add({event.run_id, event.rank, event.region,
             Warning{"the logs of this process have " + std::to_string(files_->most_bytes) +
                     " bytes: lines of iterations and of measured configs are left out from here on"}});
      }
    }
    files_->append(files_->json, json);
    files_->append(files_->text, text);
  } catch (const std::exception& error) {
    files_->complain(std::string("format a log line: ") + error.what());
  } catch (...) {
    files_->complain("format a log line: unknown error");
  }
}

}  // namespace contextual::record
