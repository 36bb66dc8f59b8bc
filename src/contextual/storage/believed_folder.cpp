#include "contextual/storage/believed_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <system_error>
#include <utility>

namespace contextual::storage {
namespace {

namespace fs = std::filesystem;

constexpr mode_t own_directory = 0700;
constexpr mode_t shared_directory = 0777;  // less what the umask takes away

Opened refused(const fs::path& path, const char* what) {
  const int code = errno;
  return {Descriptor(), failure_text(path, what, code), code};
}

Opened believed(Descriptor directory, const fs::path& path, bool trusted) {
  struct stat status {};
  if (file_calls().fstat(directory.get(), &status) != 0) {
    return refused(path, "it cannot be looked at");
  }
  const std::string reason = trusted ? std::string() : distrust(status);
  if (!reason.empty()) {
    return {Descriptor(), path.string() + " is not used: " + reason};
  }
  return {std::move(directory)};
}

Opened open_root(const fs::path& root, bool trusted) {
  Descriptor directory(file_calls().openat(AT_FDCWD, root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  return directory.open() ? believed(std::move(directory), root, trusted) : not_opened(root);
}

Opened open_once(const fs::path& root, const fs::path& name, bool trusted) {
  Opened opened = open_root(root, trusted);
  fs::path path = root;
  for (const fs::path& part : name) {
    if (!opened.descriptor.open()) {
      return opened;
    }
    path /= part;
    // A link is no directory for this call.
    Descriptor folder(file_calls().openat(opened.descriptor.get(), part.c_str(),
                                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0));
    opened = folder.open() ? believed(std::move(folder), path, trusted) : not_opened(path);
  }
  return opened;
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

}  // namespace

std::string failure_text(const fs::path& path, const char* what, int code) {
  return path.string() + ": " + what + ": " + std::generic_category().message(code);
}

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

Opened not_opened(const fs::path& path) {
  const int code = errno;
  if (code == ENOENT) {
    return {Descriptor(), {}, code};
  }
  if (code == ELOOP || code == ENOTDIR) {
    return {Descriptor(), path.string() + " is not used: it is a symbolic link, or no directory", code};
  }
  return {Descriptor(), failure_text(path, "it cannot be opened", code), code};
}

Opened open_folder(const fs::path& root, const fs::path& name, bool trusted) {
  return twice_if_stale([&] { return open_once(root, name, trusted); });
}

Opened make_folder(const fs::path& root, const fs::path& name, bool trusted) {
  Opened opened = open_folder(root, name, trusted);
  const fs::path path = root / name;
  if (opened.missing()) {
    if (!make_directories(path, trusted ? shared_directory : own_directory)) {
      return refused(path, "it cannot be made");
    }
    opened = open_folder(root, name, trusted);
  }
  if (opened.missing()) {
    opened.refusal = path.string() + ": it was removed as soon as it was made";
  }
  return opened;
}

}  // namespace contextual::storage
