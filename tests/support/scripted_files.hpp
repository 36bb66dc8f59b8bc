#pragma once

/// \file
/// A file system that fails on cue: everything else is done by the real one.

#include "contextual/storage/file_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace contextual::test {

enum class FileCall { openat, fstat, read, write, fsync, close, renameat, unlinkat, readdir };

/// The calls number `after`, `after` + 1, ... of those whose path contains `name` fail with `code`.
struct FileFault {
  FileCall call{};
  std::string name{};
  int code = 0;
  int times = 1;
  int after = 0;
  bool done = false;  ///< all the same: only the answer is wrong
};

/// In force while it lives; one at a time. Calls may come from several threads.
class ScriptedFiles {
 public:
  explicit ScriptedFiles(std::vector<FileFault> faults = {})
      : faults_(std::move(faults)), replacement_((current() = this, table())) {}
  ScriptedFiles(const ScriptedFiles&) = delete;
  ScriptedFiles& operator=(const ScriptedFiles&) = delete;
  ~ScriptedFiles() = default;

  /// Listings do not show files whose names contain this.
  void hide(const std::string& name) { hidden_ = name; }

  /// `fsync` does nothing any more, and says that it has: for tests that write very often.
  void leave_out_syncs() { syncs_ = false; }

  /// How many calls have failed.
  int failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
  }
  /// The paths that `fsync` was called for.
  std::vector<std::string> synced() const {
    const std::lock_guard lock(mutex_);
    return synced_;
  }

 private:
  static ScriptedFiles*& current() {
    static ScriptedFiles* files = nullptr;
    return files;
  }
  static const storage::FileCalls& real() { return storage::posix_file_calls(); }

  static std::string path_of(int file) {
    std::array<char, PATH_MAX> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    return ::readlink(link.c_str(), path.data(), path.size() - 1) < 0 ? std::string() : path.data();
  }
  static std::string path_in(int folder, const char* name) {
    return folder == AT_FDCWD ? name : path_of(folder) + "/" + name;
  }

  /// Returns the fault of this call, or one without a code.
  FileFault next(FileCall call, const std::string& path) {
    const std::lock_guard lock(mutex_);
    for (FileFault& fault : faults_) {
      if (fault.call != call || path.find(fault.name) == std::string::npos || fault.times == 0) {
        continue;
      }
      if (fault.after > 0) {
        --fault.after;
        continue;
      }
      --fault.times;
      ++failed_;
      return fault;
    }
    return {};
  }
  template <typename Real>
  static auto with(FileCall call, const std::string& path, const Real& real_call) {
    using Result = decltype(real_call());
    const FileFault fault = current()->next(call, path);
    Result result{};
    if (fault.code == 0 || fault.done) {
      result = real_call();
    }
    if (fault.code != 0) {
      errno = fault.code;
      if constexpr (std::is_pointer_v<Result>) {
        return Result{};
      } else {
        return Result{-1};
      }
    }
    return result;
  }

  static dirent* visible(DIR* listing) {
    const std::string& hidden = current()->hidden_;
    dirent* entry = real().readdir(listing);
    while (entry != nullptr && !hidden.empty() &&
           std::string(entry->d_name).find(hidden) != std::string::npos) {
      entry = real().readdir(listing);
    }
    return entry;
  }

  static const storage::FileCalls& table() {
    static const storage::FileCalls calls = make_table();
    return calls;
  }
  static storage::FileCalls make_table() {
    storage::FileCalls calls = real();
    calls.openat = [](int folder, const char* name, int flags, mode_t mode) {
      return with(FileCall::openat, path_in(folder, name),
                  [&] { return real().openat(folder, name, flags, mode); });
    };
    calls.fstat = [](int file, struct stat* status) {
      return with(FileCall::fstat, path_of(file), [&] { return real().fstat(file, status); });
    };
    calls.read = [](int file, void* bytes, std::size_t count) {
      return with(FileCall::read, path_of(file), [&] { return real().read(file, bytes, count); });
    };
    calls.write = [](int file, const void* bytes, std::size_t count) {
      return with(FileCall::write, path_of(file), [&] { return real().write(file, bytes, count); });
    };
    calls.fsync = [](int file) {
      const std::string path = path_of(file);
      {
        const std::lock_guard lock(current()->mutex_);
        current()->synced_.push_back(path);
      }
      return with(FileCall::fsync, path, [&] { return current()->syncs_ ? real().fsync(file) : 0; });
    };
    calls.close = [](int file) {
      const std::string path = path_of(file);
      const int closed = real().close(file);  // whatever it says, the number is free
      return with(FileCall::close, path, [&] { return closed; });
    };
    calls.renameat = [](int folder, const char* from, int to_folder, const char* to) {
      return with(FileCall::renameat, path_in(folder, from),
                  [&] { return real().renameat(folder, from, to_folder, to); });
    };
    calls.unlinkat = [](int folder, const char* name, int flags) {
      return with(FileCall::unlinkat, path_in(folder, name),
                  [&] { return real().unlinkat(folder, name, flags); });
    };
    calls.readdir = [](DIR* listing) {
      return with(FileCall::readdir, path_of(::dirfd(listing)), [&] { return visible(listing); });
    };
    return calls;
  }

  mutable std::mutex mutex_;
  std::vector<FileFault> faults_;
  std::string hidden_;
  bool syncs_ = true;
  int failed_ = 0;
  std::vector<std::string> synced_;
  storage::FileCallsReplacement replacement_;
};

}  // namespace contextual::test
