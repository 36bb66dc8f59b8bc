#pragma once

/// \file
/// Ready flags for the rows of a matrix: other threads may read a row as soon as its flag is set.

#include <contextual/deadline.hpp>
#include <contextual/error.hpp>
#include <contextual/export.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace contextual::kernels {

/// Rows, or a message of another rank, did not arrive in time, or their producer failed.
class CONTEXTUAL_API WaitFailed : public Error {
 public:
  using Error::Error;
};

/// One flag per row, all unset at first. Thread-safe except for `reset`.
class CONTEXTUAL_API RowFlags {
 public:
  /// Throws InvalidArgument for a negative number, and std::bad_alloc.
  explicit RowFlags(long rows);

  long rows() const noexcept { return rows_; }

  /// Unsets all flags and forgets `fail`. No other thread may use the flags meanwhile.
  void reset() noexcept;

  /// Sets the flags of rows [begin, end). A thread that sees them also sees what this thread wrote before.
  void set(long begin, long end) noexcept;

  bool are_set(long begin, long end) const noexcept;

  /// Call it when the producer of the rows fails: every `wait` throws from then on.
  void fail() noexcept { failed_.store(true, std::memory_order_release); }

  /// Returns when the flags of rows [begin, end) are set. Waits by yielding the core and, after a
  /// millisecond, by short sleeps. Throws WaitFailed, which names the first missing row, if the deadline
  /// expires or after `fail`.
  void wait(long begin, long end, Deadline& deadline) const;
  void wait(long begin, long end, Deadline&& deadline) const { wait(begin, end, deadline); }

  /// For a thread that waits in another way: throws WaitFailed as `wait` does. `since` is the begin of that
  /// wait, `row` the row it waits for.
  void check(Deadline::Clock::time_point since, Deadline& deadline, long row) const;

  /// Calls `check`, then yields or sleeps as `wait` does between two looks.
  void pause(Deadline::Clock::time_point since, Deadline& deadline, long row) const;

 private:
  long rows_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> flags_;
  std::atomic<bool> failed_{false};
};

}  // namespace contextual::kernels
