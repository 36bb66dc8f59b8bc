#include "contextual/record/line_file.hpp"

#include "contextual/storage/descriptor.hpp"

#include <fcntl.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace contextual::record {
namespace {

namespace fs = std::filesystem;

/// Has a process left half a line behind? One of several pages that is being written looks the same for a
/// moment, and for longer if its writer loses its processor.
bool has_half_line(int file) {
  constexpr std::chrono::milliseconds pause(5);
  constexpr int looks = 5;
  for (int look = 0; look < looks; ++look) {
    char last = '\n';
    const off_t size = ::lseek(file, 0, SEEK_END);
    if (size <= 0 || ::pread(file, &last, 1, size - 1) != 1 || last == '\n') {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

/// Returns the process that was the first to open the file: this one, or one that it was forked from. It is
/// kept in a list that only grows, so that a forked process reads its parent's.
pid_t opener_of(const fs::path& path) {
  struct Known {
    fs::path path;
    pid_t opener;
    const Known* before;
  };
  static constinit std::atomic<const Known*> latest{nullptr};
  auto fresh = std::make_unique<Known>(Known{fs::weakly_canonical(path), ::getpid(), latest.load()});
  do {
    for (const Known* known = fresh->before; known != nullptr; known = known->before) {
      if (known->path == fresh->path) {
        return known->opener;
      }
    }
  } while (!latest.compare_exchange_strong(fresh->before, fresh.get()));
  return fresh.release()->opener;
}

/// `path`, or a file beside it where a process that this one was forked from has opened that.
fs::path path_of_this_process(const fs::path& path) {
  const pid_t own = ::getpid();
  return opener_of(path) == own ? path
                                : path.parent_path() / (path.stem().string() + "." + std::to_string(own) +
                                                        path.extension().string());
}

storage::Descriptor open_for_appending(const fs::path& path) {
  constexpr int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
  constexpr mode_t any_user = 0666;  // less what the umask takes away
  const int file = ::open(path.c_str(), flags, any_user);
  if (file < 0) {
    throw std::system_error(errno, std::generic_category(),
                            path.string() + (errno == ELOOP ? " is a symbolic link" : " cannot be opened"));
  }
  return storage::Descriptor(file);
}

/// Appends to a file that it has opened itself: spdlog's own sink follows links.
class AppendingSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit AppendingSink(const fs::path& path) : file_(open_for_appending(path)) { set_pattern("%v"); }

  bool has_half_line() const { return record::has_half_line(file_.get()); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    if (!storage::write_all(file_.get(), {line.data(), line.size()})) {
      throw std::system_error(errno, std::generic_category(), "failed to write");
    }
  }
  void flush_() override {}  // nothing is kept back

 private:
  storage::Descriptor file_;
};

}  // namespace

class LineFile::Opened {
 public:
  explicit Opened(const fs::path& name)
      : path_(path_of_this_process(name)), sink_(path_), is_inside_line_(sink_.has_half_line()) {}

  pid_t owner() const noexcept { return owner_; }
  const fs::path& path() const noexcept { return path_; }

  std::string append(const std::string& lines, storage::WriteBudget& budget) {
    const std::lock_guard lock(mutex_);
    return budget.spend([&] {
      const std::string text = (std::exchange(is_inside_line_, true) ? "\n" : "") + lines;
      sink_.log({"", spdlog::level::info, text});
      is_inside_line_ = false;
      return std::string();
    });
  }

 private:
  const fs::path path_;
  const pid_t owner_ = ::getpid();
  std::mutex mutex_;
  AppendingSink sink_;
  bool is_inside_line_;
};

LineFile::LineFile(fs::path path) : name_(std::move(path)), opened_(new Opened(name_)) {}

LineFile::~LineFile() {
  if (Opened* const opened = opened_.load(); opened->owner() == ::getpid()) {
    delete opened;
  }
}

LineFile::Opened& LineFile::of_this_process() {
  Opened* known = opened_.load();
  if (known->owner() == ::getpid()) {
    return *known;
  }
  auto fresh = std::make_unique<Opened>(name_);
  return opened_.compare_exchange_strong(known, fresh.get()) ? *fresh.release() : *known;
}

std::string LineFile::append(const std::string& lines, storage::WriteBudget& budget) noexcept {
  try {
    return of_this_process().append(lines, budget);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "unknown error";
  }
}

const fs::path& LineFile::path() const noexcept {
  return opened_.load()->path();
}

}  // namespace contextual::record
