#include "contextual/record/line_file.hpp"

#include "contextual/storage/file_size_signal.hpp"

#include <fcntl.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace contextual::record {
namespace {

namespace fs = std::filesystem;

/// Returns false for what cannot be read.
bool ends_inside_line(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return false;
  }
  char last = '\n';
  const off_t size = ::lseek(file, 0, SEEK_END);
  const bool has_end = size > 0 && ::pread(file, &last, 1, size - 1) == 1;
  ::close(file);
  return has_end && last != '\n';
}

/// Has a process left half a line behind? One of several pages that is being written looks the same for a
/// moment, and for longer if its writer loses its processor.
bool has_half_line(const fs::path& path) {
  constexpr std::chrono::milliseconds pause(5);
  constexpr int looks = 5;
  for (int look = 0; look < looks; ++look) {
    if (!ends_inside_line(path)) {
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

/// Appends to a file that it has opened itself: spdlog's own sink follows links.
class AppendingSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  /// Throws std::runtime_error for a link, which may lead to a file that is no log.
  explicit AppendingSink(const fs::path& path) : path_(path) {
    constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
    constexpr mode_t any_user = 0666;  // less what the umask takes away
    file_ = ::open(path.c_str(), flags, any_user);
    if (file_ < 0 && errno == ELOOP) {
      throw std::runtime_error(path_.string() + " is a symbolic link");
    }
    if (file_ < 0) {
      throw std::system_error(errno, std::generic_category(), path_.string() + " cannot be opened");
    }
  }
  AppendingSink(const AppendingSink&) = delete;
  AppendingSink& operator=(const AppendingSink&) = delete;
  ~AppendingSink() override { ::close(file_); }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const storage::FileSizeSignalBlock blocked;
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t written = ::write(file_, line.data() + done, line.size() - done);
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written <= 0) {
        throw std::system_error(errno, std::generic_category(), "failed to write");
      }
      done += static_cast<std::size_t>(written);
    }
  }
  void flush_() override {}  // nothing is kept back

 private:
  const fs::path path_;
  int file_ = -1;
};

}  // namespace

class LineFile::Opened {
 public:
  explicit Opened(const fs::path& name)
      : path_(path_of_this_process(name)), sink_(path_), is_inside_line_(has_half_line(path_)) {
    sink_.set_pattern("%v");
  }

  pid_t owner() const noexcept { return owner_; }
  const fs::path& path() const noexcept { return path_; }

  std::string append(std::string_view lines, storage::WriteBudget& budget) {
    const std::lock_guard lock(mutex_);
    return budget.spend([&] {
      const std::string text = (std::exchange(is_inside_line_, true) ? "\n" : "") + std::string(lines);
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

std::string LineFile::append(std::string_view lines, storage::WriteBudget& budget) noexcept {
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
