#include "contextual/storage/old_journals.hpp"

#include "contextual/storage/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace contextual::storage {
namespace {

namespace fs = std::filesystem;

/// Opens and locks the file if it is as old. Nothing where it is not, or where it is not sure that nobody
/// uses it. NFS locks a file exclusively only where it is open for writing.
std::optional<Descriptor> lock_if_old(const fs::path& path, fs::file_time_type limit) {
  std::error_code unknown;
  const fs::file_time_type written = fs::last_write_time(path, unknown);
  if (unknown || written >= limit) {
    return std::nullopt;
  }
  Descriptor file(
      file_calls().openat(AT_FDCWD, path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0));
  if (!file.open() || try_lock(file.get(), LockKind::exclusive) != FileLock::taken) {
    return std::nullopt;
  }
  return file;
}

}  // namespace

std::vector<std::vector<std::string>> journals_in(const detail::TrustedFolder& folder) {
  std::map<std::string, std::vector<std::string>> by_tuning;
  for (const std::string& file : folder.files("").names) {
    by_tuning[file.substr(0, file.find('.'))].push_back(file);
  }
  std::vector<std::vector<std::string>> journals;
  journals.reserve(by_tuning.size());
  for (auto& [tuning, files] : by_tuning) {
    journals.push_back(std::move(files));
  }
  return journals;
}

OldJournal::OldJournal(const detail::TrustedFolder& folder, const std::vector<std::string>& files,
                       std::chrono::seconds age) {
  const auto limit = fs::file_time_type::clock::now() - age;
  for (const std::string& file : files) {
    std::optional<Descriptor> locked = lock_if_old(folder.path() / file, limit);
    if (!locked) {
      locked_.clear();
      return;
    }
    locked_.push_back(*std::move(locked));
  }
  files_ = files;
}

}  // namespace contextual::storage
