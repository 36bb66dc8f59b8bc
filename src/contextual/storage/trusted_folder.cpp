#include "contextual/storage/descriptor.hpp"
#include "contextual/storage/file_calls.hpp"
#include "contextual/storage/lasting_path.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <system_error>
#include <utility>

namespace contextual::detail {
namespace {

namespace fs = std::filesystem;

using storage::Descriptor;
using storage::file_calls;

constexpr mode_t own_directory = 0700;
constexpr mode_t own_file = 0600;
constexpr mode_t shared_directory = 0777;  // less what the umask takes away, as the next one
constexpr mode_t shared_file = 0666;

/// The end of a temporary file's name.
constexpr std::string_view unfinished = ".part";
constexpr time_t abandoned_after_s = 3600;  // nobody writes a file that long

/// Thrown within this file only: why something is not used, or nothing where it does not exist.
struct Refusal {
  std::string text{};
  int code = 0;  ///< errno of the call that failed
};

std::string failure_text(const fs::path& path, const char* what, int code) {
  return path.string() + ": " + what + ": " + std::generic_category().message(code);
}

[[noreturn]] void fail(const fs::path& path, const char* what, int code = errno) {
  throw Refusal{failure_text(path, what, code), code};
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why, int code = 0) {
  throw Refusal{path.string() + " is not used: " + why, code};
}

/// Returns why the action was refused, with errno in `code`. A network file system may have remembered
/// something that is not there any more (ESTALE): it looks again when it is asked again from the root on.
template <typename Action>
std::string problem_of(const Action& action, int* code = nullptr) {
  for (bool again = false;; again = true) {
    try {
      action();
      return {};
    } catch (const Refusal& refusal) {
      if (refusal.code != ESTALE || again) {
        if (code != nullptr) {
          *code = refusal.code;
        }
        return refusal.text;
      }
    }
  }
}

Descriptor open_at(int folder, const char* name, int flags, const fs::path& path) {
  Descriptor opened(file_calls().openat(folder, name, O_RDONLY | O_CLOEXEC | flags, 0));
  if (opened.open()) {
    return opened;
  }
  const int code = errno;
  if (code == ENOENT) {
    throw Refusal{{}, code};
  }
  if (code == ELOOP || code == ENOTDIR) {
    refuse(path, "it is a symbolic link, or no directory", code);
  }
  fail(path, "it cannot be opened", code);
}

/// Refuses what somebody else may have written, unless whoever can is trusted.
struct stat believe(const Descriptor& opened, const fs::path& path, bool trusted) {
  struct stat status {};
  if (file_calls().fstat(opened.get(), &status) != 0) {
    fail(path, "it cannot be looked at");
  }
  if (!trusted && status.st_uid != ::geteuid() && status.st_uid != 0) {
    refuse(path, "it belongs to user " + std::to_string(status.st_uid));
  }
  if (!trusted && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse(path,
           "others can write it; take that from them (chmod go-w), or name the cache directory in "
           "CONTEXTUAL_TRUSTED_CACHE_DIR if they are trusted");
  }
  return status;
}

/// The root may be a link, because whoever sets the variable chooses where it leads.
Descriptor open_folder(const fs::path& root, const fs::path& name, bool trusted) {
  Descriptor folder = open_at(AT_FDCWD, root.c_str(), O_DIRECTORY, root);
  believe(folder, root, trusted);
  fs::path path = root;
  for (const fs::path& part : name) {
    path /= part;
    folder = open_at(folder.get(), part.c_str(), O_DIRECTORY | O_NOFOLLOW, path);
    believe(folder, path, trusted);
  }
  return folder;
}

/// Makes what is missing of the path. Returns false, with errno, where that is impossible.
bool make_directories(const fs::path& path, mode_t mode) {
  if (file_calls().mkdir(path.c_str(), mode) == 0 || errno == EEXIST) {
    return true;
  }
  const fs::path parent = path.parent_path();
  if (errno != ENOENT || parent.empty() || parent == path || !make_directories(parent, mode)) {
    return false;
  }
  return file_calls().mkdir(path.c_str(), mode) == 0 || errno == EEXIST;
}

Descriptor make_folder(const fs::path& root, const fs::path& name, bool trusted) {
  for (bool made = false;; made = true) {
    try {
      return open_folder(root, name, trusted);
    } catch (Refusal& refusal) {
      if (refusal.code != ENOENT) {
        throw;
      }
      if (made) {
        fail(root / name, "it was removed as soon as it was made", ENOENT);
      }
    }
    if (!make_directories(root / name, trusted ? shared_directory : own_directory)) {
      fail(root / name, "it cannot be made");
    }
  }
}

/// Equal on no two nodes, processes or calls: the file is made anew under it, or not at all.
std::string temporary_name(const std::string& file) {
  std::uint64_t word = 0;
  if (::getrandom(&word, sizeof word, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof word)) {
    word = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  return "." + file + "." + std::to_string(::getpid()) + "." + std::to_string(word) + std::string(unfinished);
}

std::string read_all(int file, const fs::path& path, std::size_t most_bytes) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t length = file_calls().read(file, part.data(), part.size());
    if (length == 0) {
      return text;
    }
    if (length > 0) {
      text.append(part.data(), static_cast<std::size_t>(length));
    }
    if (length > 0 ? text.size() > most_bytes : errno != EINTR) {
      fail(path, "it cannot be read", length > 0 ? EFBIG : errno);
    }
  }
}

std::string read_in(int folder, const fs::path& path, bool trusted, std::size_t most_bytes) {
  // Without waiting for the other end of a pipe.
  const Descriptor file = open_at(folder, path.filename().c_str(), O_NOFOLLOW | O_NONBLOCK, path);
  const struct stat status = believe(file, path, trusted);
  if (!S_ISREG(status.st_mode)) {
    refuse(path, "it is no file");
  }
  if (static_cast<std::uintmax_t>(status.st_size) > most_bytes) {
    refuse(path, "it has " + std::to_string(status.st_size) + " bytes, and no such file has more than " +
                     std::to_string(most_bytes));
  }
  return read_all(file.get(), path, most_bytes);
}

using Names = std::vector<std::string>;
/// Whether a name in an open folder is listed.
using Wanted = std::function<bool(int folder, const std::string& name)>;

Names names_in(Descriptor folder, const fs::path& path, const Wanted& wanted) {
  DIR* const opened = file_calls().fdopendir(folder.get());
  if (opened == nullptr) {
    fail(path, "it cannot be listed");
  }
  const int number = folder.release();  // the listing closes it
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opened, file_calls().closedir);
  Names names;
  for (;;) {
    errno = 0;
    const dirent* const entry = file_calls().readdir(listing.get());
    if (entry == nullptr && errno != 0) {
      fail(path, "it cannot be listed");
    }
    if (entry == nullptr) {
      return names;
    }
    if (std::string name = entry->d_name; wanted(number, name)) {
      names.push_back(std::move(name));
    }
  }
}

bool is_temporary(const std::string& name) {
  return name.starts_with('.') && name.ends_with(unfinished);
}

/// Of what is there; a link is not followed.
std::optional<struct stat> status_of(int folder, const std::string& name) {
  struct stat status {};
  const bool known = file_calls().fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  return known ? std::optional(status) : std::nullopt;
}

/// Says that there is nothing with this path, also if it is too long for the system. Other failures, as of a
/// network or for want of descriptors, say nothing about what is there.
bool says_none(int code) noexcept {
  return code == ENOENT || code == ENOTDIR || code == ELOOP || code == ENAMETOOLONG;
}

/// Returns false, with errno. A network file system may repeat a request whose answer was lost, and then say
/// that there is no such file: the file has its new name all the same.
bool rename_within(int folder, const std::string& from, const std::string& to) {
  const auto before = status_of(folder, from);
  if (file_calls().renameat(folder, from.c_str(), folder, to.c_str()) == 0) {
    return true;
  }
  const int code = errno;
  const auto after = status_of(folder, to);
  errno = code;
  return before && after && before->st_dev == after->st_dev && before->st_ino == after->st_ino;
}

/// Makes a new name outlast a failure of the machine. Returns false, with errno, if that is not sure; there
/// are file systems that know no such call.
bool sync_folder(int folder) {
  return file_calls().fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
}

/// The temporary files of processes that have ended while they wrote.
Names abandoned_in(Descriptor folder, const fs::path& path, time_t now) {
  return names_in(std::move(folder), path, [now](int opened, const std::string& name) {
    const auto status = is_temporary(name) ? status_of(opened, name) : std::nullopt;
    return status && S_ISREG(status->st_mode) && status->st_mtime < now - abandoned_after_s;
  });
}

/// Removes them. The folder's own clock counts: that of `written`, which is new. What cannot be removed
/// stays.
void remove_abandoned(int folder, const std::string& written) {
  const auto fresh = status_of(folder, written);
  Descriptor again(file_calls().openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (again.open() && fresh) {
    static_cast<void>(problem_of([&] {
      for (const std::string& name : abandoned_in(std::move(again), {}, fresh->st_mtime)) {
        file_calls().unlinkat(folder, name.c_str(), 0);
      }
    }));
  }
}

void write_in(int folder, const fs::path& path, std::string_view text, mode_t mode,
              const std::function<bool()>& still) {
  const std::string name = path.filename().string();
  const std::string temporary = temporary_name(name);
  try {
    Descriptor file(file_calls().openat(folder, temporary.c_str(),
                                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
    // A network file system may say only at the end that there is no room.
    if (!file.open() || !storage::write_all(file.get(), text) || file_calls().fsync(file.get()) != 0 ||
        !file.close()) {
      fail(path, "it cannot be written");
    }
    if (still && !still()) {
      throw Refusal{};
    }
    if (!rename_within(folder, temporary, name)) {
      fail(path, "it cannot be named");
    }
  } catch (Refusal& refusal) {
    // Also where the file was not opened: it may have been made, and the answer lost.
    if (file_calls().unlinkat(folder, temporary.c_str(), 0) != 0 && errno != ENOENT) {
      refusal.text += "; " + failure_text(path.parent_path() / temporary, "it is left over", errno);
    }
    throw;
  }
  const bool lasts = sync_folder(folder);
  const int code = errno;
  remove_abandoned(folder, name);
  if (!lasts) {
    fail(path, "it is there, but may not outlast a failure of the machine", code);
  }
}

fs::path without_slash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_trusted(const fs::path& root) {
  const char* set = std::getenv("CONTEXTUAL_TRUSTED_CACHE_DIR");
  const fs::path named = storage::lasting_path(set == nullptr ? "" : set);
  std::error_code unequal;
  return !named.empty() &&
         (without_slash(named) == without_slash(root) || fs::equivalent(named, root, unequal));
}

}  // namespace

TrustedFolder::TrustedFolder(fs::path root, fs::path name)
    : root_(storage::lasting_path(root)), name_(std::move(name)), trusted_(is_trusted(root_)) {}

TrustedFolder::Reading TrustedFolder::read(const std::string& file, std::size_t most_bytes) const {
  Reading reading;
  int code = 0;
  reading.refusal = problem_of(
      [&] {
        reading.text =
            read_in(open_folder(root_, name_, trusted_).get(), path() / file, trusted_, most_bytes);
      },
      &code);
  reading.shortage = storage::is_shortage(code);
  return reading;
}

std::string TrustedFolder::write(const std::string& file, std::string_view text,
                                 const std::function<bool()>& still) const {
  return problem_of([&] {
    write_in(make_folder(root_, name_, trusted_).get(), path() / file, text,
             trusted_ ? shared_file : own_file, still);
  });
}

std::string TrustedFolder::make(const std::string& file) const {
  return problem_of([&] {
    const Descriptor folder = make_folder(root_, name_, trusted_);
    const Descriptor made(file_calls().openat(folder.get(), file.c_str(),
                                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                              trusted_ ? shared_file : own_file));
    if (!made.open() && errno != EEXIST) {
      fail(path() / file, "it cannot be written");
    }
  });
}

std::vector<std::string> TrustedFolder::files(std::string_view ending, std::string* refusal) const {
  Names names;
  const auto wanted = [ending](int, const std::string& name) {
    return !name.starts_with('.') && name.ends_with(ending);
  };
  const std::string problem =
      problem_of([&] { names = names_in(open_folder(root_, name_, trusted_), path(), wanted); });
  if (refusal != nullptr) {
    *refusal = problem;
  }
  return names;
}

std::vector<std::string> TrustedFolder::abandoned_files() const {
  Names names;
  static_cast<void>(problem_of(
      [&] { names = abandoned_in(open_folder(root_, name_, trusted_), path(), ::time(nullptr)); }));
  return names;
}

std::string TrustedFolder::why_unwritable() const {
  return problem_of([&] {
    const Descriptor folder = make_folder(root_, name_, trusted_);
    if (::faccessat(folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
      fail(path(), "it cannot be written");
    }
  });
}

bool TrustedFolder::may_have(const std::string& file) const {
  // The folders above may hide whether it is there.
  return status_of(AT_FDCWD, path() / file) || !(says_none(errno) || errno == EACCES);
}

std::string TrustedFolder::remove(const std::string& file) const {
  return problem_of([&] {
    const Descriptor folder = open_folder(root_, name_, trusted_);
    if (file_calls().unlinkat(folder.get(), file.c_str(), 0) != 0 && errno != ENOENT) {
      fail(path() / file, "it cannot be removed");
    }
  });
}

}  // namespace contextual::detail
