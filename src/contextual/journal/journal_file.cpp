#include "contextual/journal/journal_file.hpp"

#include "contextual/storage/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace contextual::journal {

JournalFile::JournalFile(const detail::TrustedFolder& folder, const std::string& name, Safety safety,
                         std::shared_ptr<storage::WriteBudget> budget)
    : folder_(folder), name_(name), safety_(safety), budget_(std::move(budget)) {
  // Another process may remove the file at the end of its run, between any two steps.
  constexpr int most_attempts = 3;
  for (int attempt = 1; open() == Attempt::removed_meanwhile && attempt < most_attempts; ++attempt) {
    problem_.clear();
  }
  if (file_.open()) {
    read();
  }
}

/// Nobody else writes it now.
void JournalFile::read() {
  const detail::TrustedFolder::Reading reading = folder_.read(name_);
  std::size_t length = 0;
  for (ChainedLine& line : read_lines(reading.text.value_or(""))) {
    chain_.add(line.text);
    length = line.end_bytes;
    lines_.push_back(std::move(line.text));
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(length)) != 0) {
    fail("it cannot be cut");
  }
}

JournalFile::Attempt JournalFile::open() {
  detail::TrustedFolder::Reading reading = folder_.read(name_);
  if (!reading.text && reading.refusal.empty()) {
    reading.refusal = folder_.make(name_);
  }
  if (!reading.refusal.empty()) {
    problem_ = reading.refusal;
    return Attempt::ended;
  }
  constexpr int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  file_ = storage::Descriptor(storage::file_calls().openat(AT_FDCWD, path().c_str(), flags, 0));
  if (!file_.open()) {
    const bool removed = errno == ENOENT;
    fail("it cannot be opened");
    return removed ? Attempt::removed_meanwhile : Attempt::ended;
  }
  // Where the file system knows no locks, two processes may write it; the lines of the second one are then
  // out of place and end what is read.
  if (storage::try_lock(file_.get()) == storage::FileLock::refused) {
    fail("another tuner, of this process or another one, is tuning the region");
    return Attempt::ended;
  }
  struct stat status {};
  if (storage::file_calls().fstat(file_.get(), &status) == 0 && status.st_nlink == 0) {
    errno = ENOENT;
    fail("it cannot be locked");
    return Attempt::removed_meanwhile;
  }
  return Attempt::ended;
}

/// Reports the error of the last call of the system.
void JournalFile::fail(const std::string& what) {
  problem_ = path().string() + ": " + what;
  if (errno != EWOULDBLOCK) {
    problem_.append(": ").append(std::strerror(errno));
  }
  static_cast<void>(file_.close());
}

void JournalFile::append(std::string_view text) {
  if (!file_.open()) {
    return;
  }
  const std::string line = chain_.add(text);
  std::string failure = budget_->spend([&] { return write(line); });
  if (failure.empty() && safety_ == Safety::from_machine_end &&
      storage::file_calls().fsync(file_.get()) != 0) {
    failure = std::strerror(errno);
  }
  if (!failure.empty()) {
    problem_ = path().string() + ": it cannot be written: " + failure;
    static_cast<void>(file_.close());
  }
}

/// In one call: where it comes short, the line is damaged, and so are all behind it.
std::string JournalFile::write(std::string_view line) {
  ssize_t written = 0;
  do {
    written = storage::file_calls().write(file_.get(), line.data(), line.size());
  } while (written < 0 && errno == EINTR);
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
