#include "contextual/store/rank_log.hpp"

#include "contextual/store/json_format.hpp"
#include "contextual/store/line_file.hpp"
#include "contextual/store/text_format.hpp"

#include <contextual/error.hpp>

#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>

namespace contextual::store {
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

void complain(const char* error) noexcept {
  static std::atomic<bool> complained{false};
  if (!complained.exchange(true)) {
    std::fprintf(stderr, "[contextual] cannot format a log line: %s. Tuning goes on.\n", error);
  }
}

}  // namespace

RankLog::RankLog(const std::filesystem::path& directory, int rank)
    : directory_(make_directory(directory)),
      text_path_(directory_ / ("rank-" + std::to_string(rank) + ".log")),
      json_path_(directory_ / ("rank-" + std::to_string(rank) + ".jsonl")),
      text_(open(directory_, text_path_)),
      json_(open(directory_, json_path_)) {}

void RankLog::write(const Event& event) noexcept {
  try {
    json_->append(to_json_line(event));
    if (const std::string line = to_text(event); !line.empty()) {
      text_->append(line);
    }
  } catch (const std::exception& error) {
    complain(error.what());
  } catch (...) {
    complain("unknown error");
  }
}

}  // namespace contextual::store
