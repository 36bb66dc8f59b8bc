#include <contextual/kernels/host/row_flags.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

namespace contextual::kernels {

namespace {

/// The first row of [begin, end) without its flag, or `end`.
long first_unset(const std::atomic<std::uint8_t>* flags, long begin, long end) noexcept {
  long row = begin;
  while (row < end && flags[row].load(std::memory_order_acquire) != 0) {
    ++row;
  }
  return row;
}

std::size_t checked(long rows) {
  if (rows < 0) {
    throw InvalidArgument("row flags: " + std::to_string(rows) + " rows");
  }
  return static_cast<std::size_t>(rows);
}

}  // namespace

RowFlags::RowFlags(long rows)
    : rows_(rows), flags_(std::make_unique<std::atomic<std::uint8_t>[]>(checked(rows))) {}

void RowFlags::reset() noexcept {
  for (long row = 0; row < rows_; ++row) {
    flags_[static_cast<std::size_t>(row)].store(0, std::memory_order_relaxed);
  }
  failed_.store(false, std::memory_order_release);
}

void RowFlags::set(long begin, long end) noexcept {
  for (long row = begin; row < end; ++row) {
    flags_[static_cast<std::size_t>(row)].store(1, std::memory_order_release);
  }
}

bool RowFlags::are_set(long begin, long end) const noexcept {
  return first_unset(flags_.get(), begin, end) == end;
}

void RowFlags::wait(long begin, long end, Deadline& deadline) const {
  long row = first_unset(flags_.get(), begin, end);
  if (row == end) {
    return;
  }
  const auto since = Deadline::Clock::now();
  for (; row < end; row = first_unset(flags_.get(), row, end)) {
    pause(since, deadline, row);
  }
}

void RowFlags::check(Deadline::Clock::time_point since, Deadline& deadline, long row) const {
  const bool failed = failed_.load(std::memory_order_acquire);
  if (failed || deadline.expired()) {
    const auto waited = Deadline::Clock::now() - since;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
    throw WaitFailed("row " + std::to_string(row) + " of " + std::to_string(rows_) + " has not come in " +
                     std::to_string(ms) + " ms" + (failed ? ": whoever was to bring it gave up" : ""));
  }
}

void RowFlags::pause(Deadline::Clock::time_point since, Deadline& deadline, long row) const {
  check(since, deadline, row);
  // Short waits end soonest when the core is only yielded. In a long one it is left to whoever is late, who
  // may be on the same core.
  if (Deadline::Clock::now() - since > std::chrono::milliseconds(1)) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  } else {
    std::this_thread::yield();
  }
}

}  // namespace contextual::kernels
