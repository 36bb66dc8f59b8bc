#include "contextual/record/rank_log.hpp"

#include "contextual/record/json_format.hpp"
#include "contextual/record/line_file.hpp"
#include "contextual/record/printer.hpp"
#include "contextual/record/text_format.hpp"

#include <contextual/error.hpp>

#include <exception>
#include <string>
#include <system_error>

namespace contextual::record {
namespace {

[[noreturn]] void cannot_log(const std::filesystem::path& directory, const std::string& reason) {
  throw InvalidArgument(
      "cannot write logs to the directory '" + directory.string() + "': " + reason +
      ". Set CONTEXTUAL_LOG_DIR, or .log_directory of the options, to a directory that can be "
      "written; an empty .log_directory writes no log");
}

std::filesystem::path make_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    cannot_log(directory, error.message());
  }
  std::filesystem::path absolute = std::filesystem::canonical(directory, error);
  if (error) {
    cannot_log(directory, error.message());
  }
  return absolute;
}

std::shared_ptr<LineFile> open(const std::filesystem::path& directory, const std::filesystem::path& path) {
  try {
    return LineFile::open(path);
  } catch (const std::exception& error) {
    cannot_log(directory, error.what());
  }
}

}  // namespace

RankLog::RankLog(const std::filesystem::path& directory, int rank)
    : directory_(make_directory(directory)),
      text_(open(directory_, directory_ / ("rank-" + std::to_string(rank) + ".log"))),
      json_(open(directory_, directory_ / ("rank-" + std::to_string(rank) + ".jsonl"))),
      complained_(std::make_shared<std::atomic<bool>>(false)) {}

const std::filesystem::path& RankLog::text_path() const noexcept {
  return text_->path();
}

const std::filesystem::path& RankLog::json_path() const noexcept {
  return json_->path();
}

void RankLog::append(LineFile& file, const std::string& line) const noexcept {
  const std::string error = file.append(line);
  if (!error.empty()) {
    complain("write to " + file.path().string() + ": " + error);
  }
}

void RankLog::complain(const std::string& what) const noexcept {
  if (!complained_->exchange(true)) {
    print_to_stderr("[contextual] cannot " + what + ". Lines are missing from the logs; tuning goes on.");
  }
}

void RankLog::write(const Event& event) noexcept {
  try {
    append(*json_, to_json_line(event));
    if (const std::string line = to_text(event); !line.empty()) {
      append(*text_, line);
    }
  } catch (const std::exception& error) {
    complain(std::string("format a log line: ") + error.what());
  } catch (...) {
    complain("format a log line: unknown error");
  }
}

}  // namespace contextual::record
