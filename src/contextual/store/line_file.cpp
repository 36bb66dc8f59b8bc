#include "contextual/store/line_file.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

namespace contextual::store {
namespace {

class SpdlogFile final : public LineFile {
 public:
  explicit SpdlogFile(const std::filesystem::path& path)
      : path_(path.string()),
        owner_(::getpid()),
        logger_("contextual", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path_, false)) {
    logger_.set_pattern("%v");
    logger_.set_level(spdlog::level::trace);
    logger_.flush_on(spdlog::level::trace);
    logger_.set_error_handler([this](const std::string& error) { complain(error.c_str()); });
  }

  pid_t owner() const noexcept { return owner_; }

  void append(std::string_view line) noexcept override {
    if (::getpid() != owner_) {
      return;
    }
    try {
      // The overload that takes no format string: lines are full of braces.
      logger_.log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
    } catch (...) {
      complain("unknown error");
    }
  }

 private:
  void complain(const char* error) noexcept {
    if (!complained_.exchange(true)) {
      std::fprintf(stderr,
                   "[contextual] cannot write the log %s: %s. Lines are missing from it; tuning goes on.\n",
                   path_.c_str(), error);
    }
  }

  const std::string path_;
  const pid_t owner_;
  std::atomic<bool> complained_{false};
  spdlog::logger logger_;
};

struct OpenFiles {
  std::mutex mutex;
  std::map<std::filesystem::path, std::weak_ptr<SpdlogFile>> files;
};

/// Never destroyed: a log may be written while the process exits.
OpenFiles& open_files() {
  static OpenFiles& files = *std::make_unique<OpenFiles>().release();
  return files;
}

}  // namespace

std::shared_ptr<LineFile> LineFile::open(const std::filesystem::path& path) {
  const std::filesystem::path key = std::filesystem::weakly_canonical(path);
  OpenFiles& open = open_files();
  const std::scoped_lock lock(open.mutex);
  std::erase_if(open.files, [](const auto& known) { return known.second.expired(); });
  std::weak_ptr<SpdlogFile>& known = open.files[key];
  std::shared_ptr<SpdlogFile> file = known.lock();
  // One that a parent opened is silent here; a log that is opened after the fork is this process's own.
  if (!file || file->owner() != ::getpid()) {
    file = std::make_shared<SpdlogFile>(key);
    known = file;
  }
  return file;
}

}  // namespace contextual::store
