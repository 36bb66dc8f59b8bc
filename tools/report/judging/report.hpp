#pragma once

/// \file
/// The whole report: summaries of all tuning runs, and the runs that were selected for details.

#include "report/judging/analysis.hpp"
#include "report/judging/report_options.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

/// A line of the overview.
struct RunSummary {
  std::size_t number = 0;  ///< from 1, the oldest first
  const RunOfAllRanks* run = nullptr;
  RunStatus status = RunStatus::ok;
  std::string culprit;             ///< Ending::culprit_line
  std::size_t disagreements = 0;   ///< the number of their kinds
  std::string iterations;          ///< "96 + 20": walk and search
  double elapsed_ns = -1;          ///< of the slowest rank; negative if not known
  std::optional<double> change{};  ///< of the region's time against all defaults, see DefaultsComparison
  std::string choices;             ///< "gemm: 1, rms_norm: 0"
  bool measured = true;            ///< false if the region only ran with what was kept
  bool selected = false;           ///< true if its details are to be shown

  bool bad() const { return status != RunStatus::ok || disagreements > 0; }
};

/// Everything that both renderings need. Details are analysed when they are written, one run at a time, so
/// that large logs are not in memory twice.
struct Report {
  std::string directory;  ///< printable
  Logs logs;
  std::vector<RunOfAllRanks> runs;
  std::vector<RunSummary> summaries;  ///< one per run, in the same order

  bool any_bad() const;
  bool any_selected() const;
};

Report make_report(const std::filesystem::path& directory, Logs logs, const ReportOptions& options);

}  // namespace contextual::log_report
