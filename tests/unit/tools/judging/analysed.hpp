#pragma once

/// \file
/// The analysis of sample logs, for tests.

#include "report/judging/report.hpp"
#include "unit/tools/sample_logs.hpp"

#include <string>
#include <vector>

namespace report_test {

/// Keeps alive what an analysis looks at.
struct Analysed {
  contextual::log_report::Logs logs;
  std::vector<contextual::log_report::RunOfAllRanks> runs;
  contextual::log_report::RunAnalysis analysis;
};

/// Throws std::logic_error unless `files` are the logs of one tuning run.
Analysed analysed(const std::vector<std::string>& files);

}  // namespace report_test
