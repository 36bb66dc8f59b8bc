#pragma once

/// \file
/// The whole report, as data: what it says about each tuning run, and which were selected for details.

#include "report/judging/ending.hpp"
#include "report/judging/problem_result.hpp"
#include "report/judging/rank_comparison.hpp"
#include "report/judging/report_options.hpp"
#include "report/judging/run_view.hpp"
#include "report/judging/search_view.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

/// What the report says about one tuning run.
struct RunAnalysis {
  const RunOfAllRanks* run = nullptr;
  std::size_t number = 0;  ///< from 1, the oldest run first
  bool selected = false;   ///< true if its details are to be shown
  Ending ending;
  RunView view;
  std::vector<ProblemResult> problems;
  std::vector<SearchView> searches;  ///< of one rank, in their order
  std::optional<Change> gain;        ///< of the region by the choice, where it was compared with all defaults
  const Limit* limit = nullptr;      ///< of one rank: they are alike on all; null without parts
  std::vector<Slowness> slowness;    ///< empty for one rank
  std::vector<Disagreement> disagreements;  ///< in what must be equal on all ranks
  std::vector<std::string> warnings;        ///< "rank 0: ..."; equal ones once
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::optional<std::int64_t> elapsed_ns{};  ///< of the slowest rank

  bool bad() const { return ending.status != RunStatus::ok || !disagreements.empty(); }
  /// Returns false if the region only ran with what was kept.
  bool measured() const { return walk_iterations + search_iterations > 0; }
};

/// Analyses a run. `run` and `logs` must outlive the result.
RunAnalysis analyse(const RunOfAllRanks& run, const Logs& logs);

/// Everything that a rendering needs.
struct Report {
  std::string directory;  ///< printable
  Logs logs;
  std::vector<RunOfAllRanks> joined;
  std::vector<RunAnalysis> runs;  ///< of `joined`, in the same order

  bool any_bad() const;
  std::vector<const RunAnalysis*> selected() const;  ///< the newest last
};

Report make_report(const std::filesystem::path& directory, Logs logs, const ReportOptions& options);

}  // namespace contextual::log_report
