#pragma once

/// \file
/// Assigns the events of a file to its runs.

#include "report/reading/logs.hpp"

#include <cstddef>
#include <map>
#include <string_view>

namespace contextual::log_report {

/// Assigns the events of one file to its runs.
class RunCollector {
 public:
  /// `file` is an index in Logs::files. `logs` must outlive the object.
  RunCollector(Logs& logs, std::size_t file) : logs_(&logs), file_(file) {}

  /// Throws DamagedLine if the rank or the region differs from that of earlier events of the run.
  void add(Event event, std::size_t line);

 private:
  RankRun& run_of(const Event& event);

  Logs* logs_;
  std::size_t file_;
  std::map<std::string_view, RankRun*> open_;
};

}  // namespace contextual::log_report
