#pragma once

/// \file
/// From one file's events to the runs they are of.

#include "report/reading/logs.hpp"

#include <cstddef>
#include <map>
#include <string_view>

namespace contextual::log_report {

/// Sorts one file's events into its runs.
class RunCollector {
 public:
  /// `file` is an index in Logs::files. `logs` must live longer.
  RunCollector(Logs& logs, std::size_t file) : logs_(&logs), file_(file) {}

  /// Throws DamagedLine where rank or region differ from those of the same run before.
  void add(Event event, std::size_t line);

 private:
  RankRun& run_of(const Event& event);

  Logs* logs_;
  std::size_t file_;
  std::map<std::string_view, RankRun*> open_;
};

}  // namespace contextual::log_report
