#include "contextual/journal/journal_file.hpp"

#include "contextual/storage/file_lock.hpp"

#include <contextual/detail/config/hex_text.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace contextual::journal {

std::string LineChain::add(std::string_view text) {
  digest_.add(text);
  return detail::hex_text(digest_.value()).append(" ").append(text).append("\n");
}

std::vector<std::string> read_lines(std::string_view file) {
  std::vector<std::string> lines;
  LineChain chain;
  while (true) {
    const std::size_t end = file.find('\n');
    const std::size_t gap = file.find(' ');
    if (end == std::string_view::npos || gap >= end) {
      return lines;
    }
    const std::string_view text = file.substr(gap + 1, end - gap - 1);
    if (file.substr(0, end + 1) != chain.add(text)) {
      return lines;
    }
    lines.emplace_back(text);
    file.remove_prefix(end + 1);
  }
}

JournalFile::JournalFile(const detail::TrustedFolder& folder, const std::string& name, Journal safety,
                         std::shared_ptr<storage::WriteBudget> budget)
    : folder_(folder), name_(name), safety_(safety), budget_(std::move(budget)), problem_(open()) {
  const detail::TrustedFolder::Reading reading = folder_.read(name_);
  lines_ = read_lines(reading.text.value_or(""));
  if (!reading.refusal.empty()) {
    problem_ = reading.refusal;
  }
  if (problem_.empty()) {
    problem_ = cut();
  }
  if (!problem_.empty()) {
    static_cast<void>(file_.close());
  }
}

/// Where the file system knows no locks, two processes may write it; the lines of the second one are then out
/// of place and end what is read.
std::string JournalFile::open() {
  if (std::string problem = folder_.make(name_); !problem.empty()) {
    return problem;
  }
  constexpr int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  file_ = storage::Descriptor(storage::file_calls().openat(AT_FDCWD, path().c_str(), flags, 0));
  if (!file_.open()) {
    return path() + ": it cannot be opened: " + std::strerror(errno);
  }
  if (storage::try_lock(file_.get()) == storage::FileLock::refused) {
    return path() + ": another tuner, of this process or another one, is tuning the region";
  }
  struct stat status {};
  const bool removed = storage::file_calls().fstat(file_.get(), &status) == 0 && status.st_nlink == 0;
  return removed ? path() + ": another process has just removed it" : std::string();
}

/// Nobody else writes it now.
std::string JournalFile::cut() {
  std::size_t length = 0;
  for (const std::string& line : lines_) {
    length += chain_.add(line).size();
  }
  return ::ftruncate(file_.get(), static_cast<off_t>(length)) == 0
             ? std::string()
             : path() + ": it cannot be cut: " + std::strerror(errno);
}

void JournalFile::append(std::string_view text) {
  if (!file_.open()) {
    return;
  }
  const std::string line = chain_.add(text);
  std::string failure = budget_->spend([&] { return write(line); });
  if (failure.empty() && safety_ == Journal::synced && storage::file_calls().fsync(file_.get()) != 0) {
    failure = std::strerror(errno);
  }
  if (!failure.empty()) {
    problem_ = path() + ": it cannot be written: " + failure;
    static_cast<void>(file_.close());
  }
}

/// In one call: where it comes short, the line is damaged, and so are all behind it.
std::string JournalFile::write(const std::string& line) {
  const ssize_t written = storage::file_calls().write(file_.get(), line.data(), line.size());
  const bool whole = written >= 0 && static_cast<std::size_t>(written) == line.size();
  return whole ? std::string() : std::strerror(written < 0 ? errno : ENOSPC);
}

void JournalFile::end_with(const std::vector<std::string>& texts) {
  if (!file_.open()) {
    return;
  }
  LineChain chain;
  std::string file;
  for (const std::string& text : texts) {
    file += chain.add(text);
  }
  problem_ = texts.empty() ? folder_.remove(name_) : folder_.write(name_, file);
  static_cast<void>(file_.close());
}

}  // namespace contextual::journal
