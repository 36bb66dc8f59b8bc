#include "contextual/record/rank_log.hpp"

#include "contextual/record/json_format.hpp"
#include "contextual/record/line_file.hpp"
#include "contextual/record/printer.hpp"
#include "contextual/record/text_format.hpp"
#include "contextual/storage/file_calls.hpp"
#include "contextual/storage/lasting_path.hpp"

#include <contextual/error.hpp>

#include <exception>
#include <mutex>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace contextual::record {
namespace {

[[noreturn]] void cannot_log(const std::filesystem::path& directory, const std::string& reason,
                             const std::error_code& code = {}) {
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
  if (error) {
    cannot_log(directory, error.message(), error);
  }
  std::filesystem::path absolute = std::filesystem::canonical(directory, error);
  if (error) {
    cannot_log(directory, error.message(), error);
  }
  return absolute;
}

std::shared_ptr<LineFile> open(const std::filesystem::path& directory, const std::filesystem::path& path) {
  try {
    return std::make_shared<LineFile>(path);
  } catch (const std::system_error& error) {
    cannot_log(directory, error.what(), error.code());
  } catch (const std::exception& error) {
    cannot_log(directory, error.what());
  }
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
    written_bytes.fetch_add(line.size() + 1, std::memory_order_relaxed);
  }
}

void add_lines(const Event& event, std::string& json, std::string& text) {
  add_line(to_json_line(event), json);
  add_line(to_text(event), text);
}

/// The first event of this file for which there was no room: it is said once in each.
bool is_first_without_room(const std::filesystem::path& path) {
  static std::mutex mutex;
  static auto* const known = new std::set<std::filesystem::path>;
  const std::lock_guard lock(mutex);
  return known->insert(path).second;
}

}  // namespace

RankLog::RankLog(const std::filesystem::path& directory, int rank,
                 std::shared_ptr<storage::WriteBudget> budget, std::size_t most_bytes)
    : directory_(make_directory(storage::lasting_path(directory))),
      text_(open(directory_, directory_ / ("rank-" + std::to_string(rank) + ".log"))),
      json_(open(directory_, directory_ / ("rank-" + std::to_string(rank) + ".jsonl"))),
      most_bytes_(most_bytes),
      budget_(std::move(budget)) {}

const std::filesystem::path& RankLog::text_path() const noexcept {
  return text_->path();
}

const std::filesystem::path& RankLog::json_path() const noexcept {
  return json_->path();
}

void RankLog::append(LineFile& file, std::atomic<bool>& closed, const std::string& lines) const {
  if (lines.empty()) {
    return;
  }
  if (closed.load(std::memory_order_relaxed)) {
    written_bytes.fetch_sub(lines.size() + 1, std::memory_order_relaxed);
    return;
  }
  const std::string error = file.append(lines, *budget_);
  if (!error.empty()) {
    closed.store(true, std::memory_order_relaxed);
    complain("write to " + file.path().string() + ": " + error);
  }
}

void RankLog::complain(const std::string& what) const noexcept {
  if (!shared_->complained.exchange(true)) {
    print_to_stderr("[contextual] cannot " + what + ". This run's log ends here; tuning goes on.");
  }
}

bool RankLog::has_room(const Event& event, Lines& lines) const {
  if (!is_left_out_first(event.body) || written_bytes.load(std::memory_order_relaxed) < most_bytes_) {
    return true;
  }
  if (is_first_without_room(json_path())) {
    Event warning = event;
    warning.body = Warning{"the logs of this process have " + std::to_string(most_bytes_) +
                           " bytes: lines of iterations and of measured configs are left out from "
                           "here on"};
    add_lines(warning, lines.json, lines.text);
  }
  return false;
}

void RankLog::write(std::span<const Event> events) noexcept {
  try {
    Lines lines;
    for (const Event& event : events) {
      if (has_room(event, lines)) {
        add_lines(event, lines.json, lines.text);
      }
    }
    append(*json_, shared_->json_closed, lines.json);
    append(*text_, shared_->text_closed, lines.text);
  } catch (const std::exception& error) {
    complain(std::string("format a log line: ") + error.what());
  } catch (...) {
    complain("format a log line: unknown error");
  }
}

}  // namespace contextual::record
