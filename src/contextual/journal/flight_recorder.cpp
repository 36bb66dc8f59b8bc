#include "contextual/journal/flight_recorder.hpp"

#include "contextual/storage/file_lock.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

namespace contextual::journal {
namespace {

constexpr std::size_t text_bytes = 65536 - 8;

}  // namespace

/// Another process reads it only when this one is gone, so what is written needs no order between threads.
/// A process may die between any two writes: `batch` is set last.
struct FlightRecorder::Page {
  std::atomic<std::uint32_t> batch;   ///< of the text; 0: nothing is in flight
  std::uint32_t length;               ///< of the text
  std::array<char, text_bytes> text;  ///< assignments, each with a line end
};

FlightRecorder::FlightRecorder(const detail::TrustedFolder& folder, const std::string& name)
    : path_(folder.path() / name) {
  static_assert(sizeof(Page) == 65536);
  const detail::TrustedFolder::Reading reading = folder.read(name);
  const bool made = !reading.text && reading.refusal.empty() && folder.make(name).empty();
  if (!reading.text && !made) {
    return;
  }
  file_ = storage::Descriptor(
      storage::file_calls().openat(AT_FDCWD, path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0));
  if (!file_.open()) {
    return;
  }
  // For those that remove what nobody uses. Without a lock it is recorded all the same.
  static_cast<void>(storage::try_lock(file_.get(), storage::LockKind::shared));
  // Room that is not there would end the process at the first write.
  if (::posix_fallocate(file_.get(), 0, sizeof(Page)) == 0) {
    void* const mapped = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    page_ = mapped == MAP_FAILED ? nullptr : static_cast<Page*>(mapped);
  }
}

FlightRecorder::~FlightRecorder() {
  if (page_ != nullptr) {
    ::munmap(page_, sizeof(Page));
  }
}

Flight FlightRecorder::found() const {
  Flight flight;
  if (page_ == nullptr) {
    return flight;
  }
  flight.batch = page_->batch.load(std::memory_order_relaxed);
  std::string_view text(page_->text.data(), std::min<std::size_t>(page_->length, text_bytes));
  for (std::size_t end = text.find('\n'); flight.batch != 0 && end != std::string_view::npos;
       end = text.find('\n')) {
    flight.assignments.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return flight.assignments.empty() ? Flight() : flight;  // nothing that is damaged counts
}

void FlightRecorder::take_off(std::uint64_t batch, const std::vector<std::string>& assignments) {
  if (page_ == nullptr) {
    return;
  }
  landed();
  std::string text;
  std::set<std::string_view> known;
  for (const std::string& assignment : assignments) {
    if (known.insert(assignment).second) {
      text.append(assignment).append("\n");
    }
  }
  if (text.empty() || text.size() > text_bytes) {
    return;  // too many problems: nothing is recorded
  }
  std::memcpy(page_->text.data(), text.data(), text.size());
  page_->length = static_cast<std::uint32_t>(text.size());
  page_->batch.store(static_cast<std::uint32_t>(batch), std::memory_order_release);
}

void FlightRecorder::landed() noexcept {
  if (page_ != nullptr) {
    page_->batch.store(0, std::memory_order_release);
  }
}

void FlightRecorder::remove() noexcept {
  if (page_ != nullptr) {
    static_cast<void>(storage::file_calls().unlinkat(AT_FDCWD, path_.c_str(), 0));
  }
}

}  // namespace contextual::journal
