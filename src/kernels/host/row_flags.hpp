#pragma once

/// \file
/// Ready flags of a matrix's rows: what one thread puts there, others may read as soon as its flag is set.

#include <contextual/deadline.hpp>
#include <contextual/error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace contextual::kernels {

/// Rows, or a message of another rank, did not come in time, or whoever produces them gave up.
class WaitFailed : public Error {
 public:
  using Error::Error;
};

/// One flag a row, all unset at first. Thread-safe but for `reset`.
class RowFlags {
 public:
  /// Throws InvalidArgument for a negative number, std::bad_alloc.
  explicit RowFlags(long rows);

  long rows() const noexcept { return rows_; }

  /// Unsets all, and forgets `fail`. Nobody may use the flags meanwhile.
  void reset() noexcept;

  /// Rows [begin, end) are there. What this thread wrote before is seen by who sees the flags.
  void set(long begin, long end) noexcept;

  bool are_set(long begin, long end) const noexcept;

  /// Whoever sets the flags gave up: every `wait` throws from now on.
  void fail() noexcept { failed_.store(true, std::memory_order_release); }

  /// Returns when rows [begin, end) are there. Waits by yielding the core, after a millisecond by short
  /// sleeps. Throws WaitFailed, naming the first row that is missing, when the deadline expires or after
  /// `fail`.
  void wait(long begin, long end, Deadline& deadline) const;
  void wait(long begin, long end, Deadline&& deadline) const { wait(begin, end, deadline); }

  /// For who waits in another way. Throws WaitFailed as `wait` does; `since` is when that wait began, `row`
  /// what it is for.
  void check(Deadline::Clock::time_point since, Deadline& deadline, long row) const;

  /// `check`, and then what `wait` does between two looks.
  void pause(Deadline::Clock::time_point since, Deadline& deadline, long row) const;

 private:
  long rows_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> flags_;
  std::atomic<bool> failed_{false};
};

}  // namespace contextual::kernels
