#pragma once

/// \file
/// What has to be known of runs when the process exits.

#include <contextual/export.hpp>

#include <chrono>

namespace contextual::detail {

/// `Options::deadline` and `Options::grace` of a run.
struct RunBounds {
  std::chrono::milliseconds deadline{60'000};
  std::chrono::milliseconds grace{10'000};
};

/// While one exists, a thread of this process is in a `run`: one that exits now leaves its peers waiting. May
/// be made by several threads.
class CONTEXTUAL_API OngoingRun {
 public:
  explicit OngoingRun(const RunBounds& bounds) noexcept;
  OngoingRun(const OngoingRun&) = delete;
  OngoingRun& operator=(const OngoingRun&) = delete;
  ~OngoingRun();

  static bool any() noexcept;
  /// Of the run that began last; the built-in ones before the first.
  static RunBounds latest_bounds() noexcept;
};

}  // namespace contextual::detail
