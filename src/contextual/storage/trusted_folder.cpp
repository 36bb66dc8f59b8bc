#include "contextual/storage/believed_folder.hpp"
#include "contextual/storage/file_calls.hpp"
#include "contextual/storage/lasting_path.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <utility>

namespace contextual::detail {
namespace {

namespace fs = std::filesystem;

using storage::Descriptor;
using storage::failure_text;
using storage::file_calls;
using storage::Opened;

constexpr mode_t own_file = 0600;
constexpr mode_t shared_file = 0666;  // less what the umask takes away

/// The end of a temporary file's name.
constexpr std::string_view unfinished = ".part";
constexpr time_t abandoned_after_s = 3600;  // nobody writes a file that long

/// From the system; where it has none to give, from a clock.
std::uint64_t random_word() noexcept {
  std::uint64_t word = 0;
  if (::getrandom(&word, sizeof word, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof word)) {
    word = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  return word;
}

/// Equal on no two nodes, processes or calls. Process numbers come again, and so may host names in
/// containers.
std::string temporary_name(const std::string& file) {
  static std::atomic<unsigned> next{0};
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host = {"unknown"};
  }
  return "." + file + "." + host.data() + "." + std::to_string(::getpid()) + "." +
         std::to_string(next.fetch_add(1)) + "." + std::to_string(random_word()) + std::string(unfinished);
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = file_calls().write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      errno = written == 0 ? EIO : errno;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Nothing where it is longer than anything that is kept, with EFBIG.
std::optional<std::string> read_all(int file) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t length = file_calls().read(file, part.data(), part.size());
    if (length < 0 && errno == EINTR) {
      continue;
    }
    if (length < 0) {
      return std::nullopt;
    }
    if (length == 0) {
      return text;
    }
    text.append(part.data(), static_cast<std::size_t>(length));
    if (text.size() > TrustedFolder::longest_file) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

/// Returns false, with errno. A network file system may repeat a request whose answer was lost, and then say
/// that there is no such file: the file has its new name all the same.
bool rename_within(int folder, const std::string& from, const std::string& to) {
  struct stat before {};
  const bool known = file_calls().fstatat(folder, from.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0;
  if (file_calls().renameat(folder, from.c_str(), folder, to.c_str()) == 0) {
    return true;
  }
  const int code = errno;
  struct stat after {};
  const bool done = known && file_calls().fstatat(folder, to.c_str(), &after, AT_SYMLINK_NOFOLLOW) == 0 &&
                    before.st_dev == after.st_dev && before.st_ino == after.st_ino;
  errno = code;
  return done;
}

/// Makes a new name outlast a failure of the machine. Returns false, with errno, if that is not sure; there
/// are file systems that know no such call.
bool sync_folder(int folder) {
  return file_calls().fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS;
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

/// What a call has found in a folder, or why it has not.
template <typename Found>
struct Attempt {
  Found found{};
  std::string refusal{};
  int code = 0;

  bool stale() const noexcept { return code == ESTALE; }
};

template <typename Found>
Attempt<Found> refuse(const fs::path& path, const char* what) {
  const int code = errno;
  return {{}, failure_text(path, what, code), code};
}

using Text = std::optional<std::string>;
using Names = std::vector<std::string>;

Attempt<Text> read_once(const Opened& folder, const fs::path& path, bool trusted, std::size_t most_bytes) {
  if (!folder.descriptor.open()) {
    return {{}, folder.refusal, folder.code};
  }
  // Without waiting for the other end of a pipe.
  const Descriptor file(file_calls().openat(folder.descriptor.get(), path.filename().c_str(),
                                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!file.open()) {
    Opened none = storage::not_opened(path);
    return {{}, std::move(none.refusal), none.code};
  }
  struct stat status {};
  if (file_calls().fstat(file.get(), &status) != 0) {
    return refuse<Text>(path, "it cannot be looked at");
  }
  std::string reason = !S_ISREG(status.st_mode) ? "it is no file" : trusted ? "" : storage::distrust(status);
  if (reason.empty() && static_cast<std::uintmax_t>(status.st_size) > most_bytes) {
    reason = "it has " + std::to_string(status.st_size) + " bytes, and no such file has more than " +
             std::to_string(most_bytes);
  }
  if (!reason.empty()) {
    return {{}, path.string() + " is not used: " + reason};
  }
  std::optional<std::string> text = read_all(file.get());
  return text ? Attempt<Text>{std::move(text)} : refuse<Text>(path, "it cannot be read");
}

bool is_visible(const std::string& name) {
  return !name.starts_with('.');
}

bool is_temporary(const std::string& name) {
  return name.starts_with('.') && name.ends_with(unfinished);
}

bool is_folder(int folder, const std::string& name) {
  struct stat status {};
  return file_calls().fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

/// Nothing has a path that is too long for the system. Other failures, as of a network or for want of
/// descriptors, say nothing about what is there.
bool says_none(int code) noexcept {
  return code == ENOENT || code == ENOTDIR || code == ELOOP || code == ENAMETOOLONG;
}

/// False also where the folders above hide whether it is.
bool is_there(const fs::path& path) {
  struct stat status {};
  return file_calls().fstatat(AT_FDCWD, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 ||
         !(says_none(errno) || errno == EACCES);
}

/// A file that was last written before that.
bool is_older(int folder, const std::string& name, time_t limit) {
  struct stat status {};
  return file_calls().fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && status.st_mtime < limit;
}

/// Whether a name in an open folder is listed.
using Kept = std::function<bool(int folder, const std::string& name)>;

Attempt<Names> list_once(Opened folder, const fs::path& path, const Kept& kept) {
  if (!folder.descriptor.open()) {
    return {{}, std::move(folder.refusal), folder.code};
  }
  DIR* const opened = file_calls().fdopendir(folder.descriptor.get());
  if (opened == nullptr) {
    return refuse<Names>(path, "it cannot be listed");
  }
  const int number = folder.descriptor.release();  // the listing closes it
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opened, file_calls().closedir);
  Names names;
  for (;;) {
    errno = 0;
    const dirent* const entry = file_calls().readdir(listing.get());
    if (entry == nullptr && errno != 0) {
      return refuse<Names>(path, "it cannot be listed");
    }
    if (entry == nullptr) {
      return {std::move(names)};
    }
    if (std::string name = entry->d_name; kept(number, name)) {
      names.push_back(std::move(name));
    }
  }
}

Attempt<Names> list(const fs::path& root, const fs::path& name, bool trusted, const Kept& kept) {
  return storage::twice_if_stale(
      [&] { return list_once(storage::open_folder(root, name, trusted), root / name, kept); });
}

/// Removes the temporary files of processes that have ended while they wrote. The folder's own clock counts:
/// that of `written`, which is new. What cannot be removed stays.
void remove_abandoned(int folder, const std::string& written) {
  struct stat fresh {};
  Opened again{Descriptor(file_calls().openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0))};
  if (!again.descriptor.open() ||
      file_calls().fstatat(folder, written.c_str(), &fresh, AT_SYMLINK_NOFOLLOW) != 0) {
    return;
  }
  const auto listing =
      list_once(std::move(again), {}, [](int, const std::string& name) { return is_temporary(name); });
  for (const std::string& name : listing.found) {
    if (is_older(folder, name, fresh.st_mtime - abandoned_after_s)) {
      file_calls().unlinkat(folder, name.c_str(), 0);
    }
  }
}

/// Returns what went wrong, or an empty text.
std::string write_in(int folder, const fs::path& path, std::string_view text, mode_t mode,
                     const std::function<bool()>& still) {
  const std::string name = path.filename().string();
  const std::string temporary = temporary_name(name);
  Descriptor file(file_calls().openat(folder, temporary.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  std::string problem;
  // A network file system may say only at the end that there is no room.
  if (!file.open() || !write_all(file.get(), text) || file_calls().fsync(file.get()) != 0 || !file.close()) {
    problem = failure_text(path, "it cannot be written");
  } else if (still && !still()) {
    problem.clear();  // it was there for nothing
  } else if (!rename_within(folder, temporary, name)) {
    problem = failure_text(path, "it cannot be named");
  } else {
    const bool lasts = sync_folder(folder);
    const int code = errno;
    remove_abandoned(folder, name);
    return lasts ? "" : failure_text(path, "it is there, but may not outlast a failure of the machine", code);
  }
  // Also where the file was not opened: it may have been made, and the answer lost.
  if (file_calls().unlinkat(folder, temporary.c_str(), 0) != 0 && errno != ENOENT) {
    problem.append("; ").append(failure_text(path.parent_path() / temporary, "it is left over"));
  }
  return problem;
}

}  // namespace

TrustedFolder::TrustedFolder(fs::path root, fs::path name)
    : root_(storage::lasting_path(root)), name_(std::move(name)), trusted_(is_trusted(root_)) {}

TrustedFolder::Reading TrustedFolder::read(const std::string& file, std::size_t most_bytes) const {
  auto attempt = storage::twice_if_stale([&] {
    return read_once(storage::open_folder(root_, name_, trusted_), root_ / name_ / file, trusted_,
                     most_bytes);
  });
  return {std::move(attempt.found), std::move(attempt.refusal), storage::is_shortage(attempt.code)};
}

std::string TrustedFolder::write(const std::string& file, std::string_view text,
                                 const std::function<bool()>& still) const {
  const Opened folder = storage::make_folder(root_, name_, trusted_);
  return folder.descriptor.open() ? write_in(folder.descriptor.get(), root_ / name_ / file, text,
                                             trusted_ ? shared_file : own_file, still)
                                  : folder.refusal;
}

std::string TrustedFolder::make(const std::string& file) const {
  const Opened folder = storage::make_folder(root_, name_, trusted_);
  if (!folder.descriptor.open()) {
    return folder.refusal;
  }
  const Descriptor made(file_calls().openat(folder.descriptor.get(), file.c_str(),
                                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                            trusted_ ? shared_file : own_file));
  return made.open() || errno == EEXIST ? std::string()
                                        : failure_text(root_ / name_ / file, "it cannot be written");
}

TrustedFolder::Listing TrustedFolder::files(std::string_view ending) const {
  auto attempt = list(root_, name_, trusted_, [ending](int, const std::string& name) {
    return is_visible(name) && name.ends_with(ending);
  });
  return {std::move(attempt.found), std::move(attempt.refusal), storage::is_shortage(attempt.code)};
}

std::vector<std::string> TrustedFolder::abandoned_files() const {
  const time_t limit = ::time(nullptr) - abandoned_after_s;
  const auto kept = [limit](int folder, const std::string& name) {
    return is_temporary(name) && is_older(folder, name, limit);
  };
  return list(root_, name_, trusted_, kept).found;
}

std::vector<std::string> TrustedFolder::folders() const {
  const auto kept = [](int folder, const std::string& name) {
    return is_visible(name) && is_folder(folder, name);
  };
  return list(root_, name_, trusted_, kept).found;
}

std::string TrustedFolder::why_unwritable() const {
  const Opened folder = storage::make_folder(root_, name_, trusted_);
  if (!folder.descriptor.open()) {
    return folder.refusal;
  }
  return ::faccessat(folder.descriptor.get(), ".", W_OK | X_OK, AT_EACCESS) == 0
             ? std::string()
             : failure_text(root_ / name_, "it cannot be written");
}

bool TrustedFolder::may_contain(const std::string& file, std::string_view text) const {
  const fs::path whole = path() / file;
  const Descriptor opened(file_calls().openat(AT_FDCWD, whole.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0));
  if (!opened.open()) {
    std::error_code unknown;
    return errno == EACCES ? is_there(whole) : !says_none(errno) || fs::is_symlink(whole, unknown);
  }
  const std::optional<std::string> all = read_all(opened.get());
  return !all || all->find(text) != std::string::npos;
}

std::string TrustedFolder::remove(const std::string& file) const {
  const Opened folder = storage::open_folder(root_, name_, trusted_);
  if (!folder.descriptor.open()) {
    return folder.refusal;
  }
  const bool gone = file_calls().unlinkat(folder.descriptor.get(), file.c_str(), 0) == 0 || errno == ENOENT;
  return gone ? std::string() : failure_text(root_ / name_ / file, "it cannot be removed");
}

}  // namespace contextual::detail
