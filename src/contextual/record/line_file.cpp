#include "contextual/record/line_file.hpp"

#include "contextual/storage/file_size_signal.hpp"

#include <fcntl.h>
#include <spdlog/details/log_msg.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace contextual::record {
namespace {

namespace fs = std::filesystem;

struct FileEnd {
  off_t size = 0;
  char last = '\n';

  bool inside_line() const { return last != '\n'; }
  bool operator==(const FileEnd&) const = default;
};

/// The end of a line for what cannot be read.
FileEnd end_of(const fs::path& path) noexcept {
  FileEnd end;
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    return end;
  }
  end.size = ::lseek(file, 0, SEEK_END);
  if (end.size <= 0 || ::pread(file, &end.last, 1, end.size - 1) != 1) {
    end = {};
  }
  ::close(file);
  return end;
}

/// Does this end of the file stay? A line of several pages that another process is writing looks unfinished
/// for a moment; what a process has left behind stays.
bool stays(const fs::path& path, const FileEnd& seen) {
  constexpr std::chrono::milliseconds pause(5);
  constexpr int looks = 5;  // a writer may have lost its processor in the middle
  bool same = true;
  for (int look = 0; same && look < looks; ++look) {
    std::this_thread::sleep_for(pause);
    same = end_of(path) == seen;
  }
  return same;
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

class SpdlogFile final : public LineFile {
 public:
  /// Throws std::runtime_error for a link, which may lead to a file that is no log.
  explicit SpdlogFile(const fs::path& path) : path_(path), sink_(path) { sink_.set_pattern("%v"); }

  std::string append(std::string_view lines, storage::WriteBudget& budget) noexcept override {
    try {
      if (::getpid() != owner_) {
        return kept_open(path_)->append(lines, budget);
      }
      const std::lock_guard lock(mutex_);
      return budget.spend([&] {
        write(lines);
        return std::string();
      });
    } catch (const std::exception& error) {
      return error.what();
    } catch (...) {
      return "unknown error";
    }
  }

  const fs::path& path() const noexcept override { return path_; }

 private:
  static std::shared_ptr<LineFile> kept_open(const fs::path& path);
  bool ends_inside_line() const;

  void write(std::string_view lines) {
    const bool unfinished = std::exchange(may_be_unfinished_, true) && ends_inside_line();
    const std::string text = (unfinished ? "\n" : "") + std::string(lines);
    sink_.log({"", spdlog::level::info, text});
    sink_.flush();
    may_be_unfinished_ = false;
  }

  const fs::path path_;
  const pid_t owner_ = ::getpid();
  std::mutex mutex_;               ///< never taken in a forked process: who held it may not exist there
  bool may_be_unfinished_ = true;  ///< the file may end in the middle of a line
  AppendingSink sink_;
};

/// The files of one process. Never destroyed: a log may be written while the process exits.
class OpenFiles {
 public:
  static OpenFiles& of_this_process() {
    static constinit std::atomic<OpenFiles*> current{nullptr};
    for (OpenFiles* known = current.load();;) {
      if (known != nullptr && known->owner_ == ::getpid()) {
        return *known;
      }
      auto fresh = std::make_unique<OpenFiles>(known);
      if (current.compare_exchange_strong(known, fresh.get())) {
        return *fresh.release();
      }
    }
  }

  explicit OpenFiles(const OpenFiles* of_parent) : of_parent_(of_parent) {}

  std::shared_ptr<SpdlogFile> open(const fs::path& path) {
    const fs::path own = own_path(path);
    const fs::path key = fs::weakly_canonical(own);
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [](const auto& known) { return known.second.expired(); });
    std::weak_ptr<SpdlogFile>& known = files_[key];
    std::shared_ptr<SpdlogFile> file = known.lock();
    if (!file) {
      file = std::make_shared<SpdlogFile>(own);
      known = file;
      if (!has_opened(key)) {
        last_opened_.store(new Opened{key, last_opened_.load()});
      }
    }
    return file;
  }

  /// Stays open.
  std::shared_ptr<SpdlogFile> keep(const fs::path& path) {
    std::shared_ptr<SpdlogFile> file = open(path);
    const std::lock_guard lock(mutex_);
    kept_.emplace(file->path(), file);
    return file;
  }

  /// Waits for the same end of a file only once: where a line cannot be ended, the next tuning finds it
  /// again.
  bool ends_inside_line(const fs::path& path) {
    const FileEnd end = end_of(path);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = unfinished_.find(path); known != unfinished_.end() && known->second == end) {
        return true;
      }
    }
    const bool unfinished = end.inside_line() && stays(path, end);
    if (unfinished) {
      const std::lock_guard lock(mutex_);
      unfinished_[path] = end;
    }
    return unfinished;
  }

 private:
  /// Every path that was ever opened, each once, in a list that only grows: a forked process reads the one of
  /// its parent.
  struct Opened {
    fs::path path;
    const Opened* before = nullptr;
  };

  /// Beside `path` where a process that this one was forked from opened that.
  fs::path own_path(const fs::path& path) const {
    const fs::path key = fs::weakly_canonical(path);
    for (const OpenFiles* parent = of_parent_; parent != nullptr; parent = parent->of_parent_) {
      if (parent->has_opened(key)) {
        const std::string name = path.stem().string() + "." + std::to_string(owner_);
        return path.parent_path() / (name + path.extension().string());
      }
    }
    return path;
  }

  bool has_opened(const fs::path& key) const {
    const Opened* opened = last_opened_.load();
    while (opened != nullptr && opened->path != key) {
      opened = opened->before;
    }
    return opened != nullptr;
  }

  const pid_t owner_ = ::getpid();
  const OpenFiles* of_parent_;  ///< of a process that forked this one; its mutex may be held for ever here
  std::atomic<const Opened*> last_opened_{nullptr};
  std::mutex mutex_;
  std::map<fs::path, std::weak_ptr<SpdlogFile>> files_;
  std::map<fs::path, std::shared_ptr<SpdlogFile>> kept_;
  std::map<fs::path, FileEnd> unfinished_;
};

std::shared_ptr<LineFile> SpdlogFile::kept_open(const fs::path& path) {
  return OpenFiles::of_this_process().keep(path);
}

bool SpdlogFile::ends_inside_line() const {
  return OpenFiles::of_this_process().ends_inside_line(path_);
}

}  // namespace

/// What another process has left behind is waited for here, and not by the first line.
std::shared_ptr<LineFile> LineFile::open(const fs::path& path) {
  OpenFiles& files = OpenFiles::of_this_process();
  const std::shared_ptr<SpdlogFile> file = files.open(path);
  files.ends_inside_line(file->path());
  return file;
}

}  // namespace contextual::record
