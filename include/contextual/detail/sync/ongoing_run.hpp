#pragma once

/// \file
/// What the exit handlers of the process need to know about runs.

#include <contextual/export.hpp>

#include <chrono>

namespace contextual::detail {

/// `Options::deadline` and `Options::grace` of a run.
struct RunBounds {
  std::chrono::milliseconds deadline{60'000};
  std::chrono::milliseconds grace{10'000};
};

/// Exists while a thread of this process is in a `run`. A process that exits meanwhile leaves its peers
/// waiting. Thread-safe.
class CONTEXTUAL_API OngoingRun {
 public:
  explicit OngoingRun(const RunBounds& bounds) noexcept;
  OngoingRun(const OngoingRun&) = delete;
  OngoingRun& operator=(const OngoingRun&) = delete;
  ~OngoingRun();

  static bool any() noexcept;  ///< true if some thread is in a `run`
  /// Returns the bounds of the run that began last, or the built-in ones before the first run.
  static RunBounds latest_bounds() noexcept;
};

}  // namespace contextual::detail
