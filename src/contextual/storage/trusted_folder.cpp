#include <contextual/detail/storage/trusted_folder.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <utility>

namespace contextual::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_text = std::size_t{256} << 20U;
constexpr mode_t own_directory = 0700;
constexpr mode_t own_file = 0600;
constexpr mode_t shared_directory = 0777;  // less what the umask takes away
constexpr mode_t shared_file = 0666;

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  bool open() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }
  int get() const noexcept { return number_; }
  /// Returns false if what was written is not sure to be kept.
  bool close() noexcept {
    const int number = release();
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

std::string failure_text(const fs::path& path, const char* what) {
  return path.string() + ": " + what + ": " + std::strerror(errno);
}

/// Returns why what is open cannot be believed, or an empty text.
std::string distrust(const struct stat& status) {
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return "it belongs to user " + std::to_string(status.st_uid);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return "others can write it; take that from them (chmod go-w), or name the cache directory in "
           "CONTEXTUAL_TRUSTED_CACHE_DIR if they are trusted";
  }
  return {};
}

/// An open directory, or why there is none: a refusal, or nothing where it does not exist.
struct Opened {
  Descriptor directory;
  std::string refusal;
  bool missing = false;
};

Opened believed(Descriptor directory, const fs::path& path, bool trusted) {
  struct stat status {};
  if (::fstat(directory.get(), &status) != 0) {
    return {Descriptor(), failure_text(path, "it cannot be looked at")};
  }
  const std::string reason = trusted ? std::string() : distrust(status);
  if (!reason.empty()) {
    return {Descriptor(), path.string() + " is not used: " + reason};
  }
  return {std::move(directory), {}};
}

Opened not_opened(const fs::path& path) {
  if (errno == ENOENT) {
    return {Descriptor(), {}, true};
  }
  if (errno == ELOOP || errno == ENOTDIR) {
    return {Descriptor(), path.string() + " is not used: it is a symbolic link, or no directory"};
  }
  return {Descriptor(), failure_text(path, "it cannot be opened")};
}

/// The root itself may be a link: whoever sets the variable chooses where it leads.
Opened open_root(const fs::path& root, bool trusted) {
  Descriptor directory(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.open() ? believed(std::move(directory), root, trusted) : not_opened(root);
}

Opened open_folder(const fs::path& root, const fs::path& name, bool trusted) {
  Opened opened = open_root(root, trusted);
  fs::path path = root;
  for (const fs::path& part : name) {
    if (!opened.directory.open()) {
      return opened;
    }
    path /= part;
    // A link is no directory for this call.
    Descriptor folder(
        ::openat(opened.directory.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.open()) {
      return not_opened(path);
    }
    opened = believed(std::move(folder), path, trusted);
  }
  return opened;
}

/// Makes what is missing of the path. Returns false, with errno, where that is impossible.
bool make_directories(const fs::path& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) {
    return true;
  }
  const fs::path parent = path.parent_path();
  if (errno != ENOENT || parent.empty() || parent == path || !make_directories(parent, mode)) {
    return false;
  }
  return ::mkdir(path.c_str(), mode) == 0 || errno == EEXIST;
}

Opened make_folder(const fs::path& root, const fs::path& name, bool trusted) {
  Opened opened = open_folder(root, name, trusted);
  const fs::path path = root / name;
  if (opened.missing) {
    if (!make_directories(path, trusted ? shared_directory : own_directory)) {
      return {Descriptor(), failure_text(path, "it cannot be made")};
    }
    opened = open_folder(root, name, trusted);
  }
  if (opened.missing) {
    opened.refusal = path.string() + ": it was removed as soon as it was made";
  }
  return opened;
}

/// Equal on no two nodes, processes or calls. Process numbers come again, and so may host names in
/// containers.
std::string temporary_name(const std::string& file) {
  static std::atomic<unsigned> next{0};
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    host = {"unknown"};
  }
  std::random_device random;
  return "." + file + "." + host.data() + "." + std::to_string(::getpid()) + "." +
         std::to_string(next.fetch_add(1)) + "." + std::to_string(random()) + std::to_string(random());
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
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
    const ssize_t length = ::read(file, part.data(), part.size());
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
    if (text.size() > longest_text) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

/// Of everything in it, with "." and ".."; nothing where it is not open.
std::vector<std::string> names_in(Opened folder) {
  std::vector<std::string> names;
  if (!folder.directory.open()) {
    return names;
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(folder.directory.get()), ::closedir);
  if (!listing) {
    return names;
  }
  folder.directory.release();  // the listing closes it
  while (const dirent* const entry = ::readdir(listing.get())) {
    names.emplace_back(entry->d_name);
  }
  return names;
}

fs::path without_slash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_trusted(const fs::path& root) {
  const char* named = std::getenv("CONTEXTUAL_TRUSTED_CACHE_DIR");
  std::error_code unequal;
  return named != nullptr && *named != '\0' &&
         (without_slash(named) == without_slash(root) || fs::equivalent(named, root, unequal));
}

}  // namespace

TrustedFolder::TrustedFolder(fs::path root, fs::path name)
    : root_(std::move(root)), name_(std::move(name)), trusted_(is_trusted(root_)) {}

TrustedFolder::Reading TrustedFolder::read(const std::string& file) const {
  const Opened folder = open_folder(root_, name_, trusted_);
  if (!folder.directory.open()) {
    return {std::nullopt, folder.refusal};
  }
  const fs::path path = root_ / name_ / file;
  // Without waiting for the other end of a pipe.
  const Descriptor opened(
      ::openat(folder.directory.get(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened.open()) {
    return {std::nullopt, not_opened(path).refusal};
  }
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0) {
    return {std::nullopt, failure_text(path, "it cannot be looked at")};
  }
  const std::string reason = !S_ISREG(status.st_mode) ? "it is no file" : trusted_ ? "" : distrust(status);
  if (!reason.empty()) {
    return {std::nullopt, path.string() + " is not used: " + reason};
  }
  std::optional<std::string> text = read_all(opened.get());
  return text ? Reading{std::move(text), {}} : Reading{std::nullopt, failure_text(path, "it cannot be read")};
}

std::string TrustedFolder::write(const std::string& file, std::string_view text) const {
  const Opened folder = make_folder(root_, name_, trusted_);
  if (!folder.directory.open()) {
    return folder.refusal;
  }
  const fs::path path = root_ / name_ / file;
  const std::string temporary = temporary_name(file);
  Descriptor opened(::openat(folder.directory.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                             trusted_ ? shared_file : own_file));
  if (!opened.open()) {
    return failure_text(path, "it cannot be written");
  }
  std::string problem;
  // A network file system may say only at the end that there is no room.
  if (!write_all(opened.get(), text) || ::fsync(opened.get()) != 0 || !opened.close()) {
    problem = failure_text(path, "it cannot be written");
  } else if (::renameat(folder.directory.get(), temporary.c_str(), folder.directory.get(), file.c_str()) !=
             0) {
    problem = failure_text(path, "it cannot be named");
  }
  if (!problem.empty()) {
    ::unlinkat(folder.directory.get(), temporary.c_str(), 0);
  }
  return problem;
}

std::vector<std::string> TrustedFolder::files(std::string_view ending) const {
  std::vector<std::string> names = names_in(open_folder(root_, name_, trusted_));
  std::erase_if(names,
                [&](const std::string& name) { return name.starts_with('.') || !name.ends_with(ending); });
  return names;
}

std::vector<std::string> TrustedFolder::temporary_files() const {
  std::vector<std::string> names = names_in(open_folder(root_, name_, trusted_));
  std::erase_if(names, [](const std::string& name) { return !name.starts_with('.') || name.size() < 3; });
  return names;
}

std::vector<std::string> TrustedFolder::folders() const {
  const Opened folder = open_folder(root_, name_, trusted_);
  std::vector<std::string> names = names_in(open_folder(root_, name_, trusted_));
  std::erase_if(names, [&](const std::string& name) {
    struct stat status {};
    return name.starts_with('.') ||
           ::fstatat(folder.directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
           !S_ISDIR(status.st_mode);
  });
  return names;
}

std::string TrustedFolder::refusal() const {
  return open_folder(root_, name_, trusted_).refusal;
}

std::string TrustedFolder::remove(const std::string& file) const {
  const Opened folder = open_folder(root_, name_, trusted_);
  if (!folder.directory.open()) {
    return folder.refusal;
  }
  const bool gone = ::unlinkat(folder.directory.get(), file.c_str(), 0) == 0 || errno == ENOENT;
  return gone ? std::string() : failure_text(root_ / name_ / file, "it cannot be removed");
}

std::string TrustedFolder::rename(const std::string& file, const std::string& to) const {
  const Opened folder = open_folder(root_, name_, trusted_);
  if (!folder.directory.open()) {
    return folder.refusal;
  }
  const bool renamed =
      ::renameat(folder.directory.get(), file.c_str(), folder.directory.get(), to.c_str()) == 0;
  return renamed ? std::string() : failure_text(root_ / name_ / file, "it cannot be renamed");
}

}  // namespace contextual::detail
