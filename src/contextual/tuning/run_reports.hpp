#pragma once

/// \file
/// What a tuner reports of its runs.

#include <contextual/options.hpp>
#include <contextual/report.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace contextual::tuning {

/// The reports of a tuner's runs, in their order. Thread-safe.
class RunReports {
 public:
  /// Returns a copy.
  Report all() const;
  /// Returns the id of the region's last tuning run; empty if there was none.
  std::string last_run_id(const std::string& region) const;

  /// A region that is run again and again with nothing left to tune keeps one report of that; one that is
  /// tuned again and again keeps the latest few.
  void add(RegionReport&& latest);
  /// Of a run without a log and a report of its own: its region is known from now on, and has these warnings,
  /// each of which the process says once on stderr.
  void note_unlogged(const std::string& region, Mode mode, const std::vector<std::string>& warnings);

 private:
  mutable std::mutex mutex_;
  Report report_;
};

}  // namespace contextual::tuning
