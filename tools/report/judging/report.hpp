#pragma once

/// \file
/// The whole report, as data: what it says about each tuning run, and which were selected for details.

#include "report/judging/ending.hpp"
#include "report/judging/launches.hpp"
#include "report/judging/problem_result.hpp"
#include "report/judging/search_view.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace contextual::log_report {

/// What ReportOptions::width may be.
inline constexpr std::size_t narrowest_text = 60;
inline constexpr std::size_t widest_text = 10'000;

struct ReportOptions {
  bool all = false;      ///< details of every run, not only of the newest one of each region that measured
  std::string region{};  ///< only this one; empty for all
  std::string tuning{};  ///< only this run: its number in the overview, its id, or a part of that
  bool whole_table = false;  ///< joins no rows and leaves nothing out
  std::size_t width = 100;   ///< columns, of the text

  /// Returns how many entries of a list are shown: `usual`, unless nothing is to be left out.
  std::size_t limit(std::size_t usual) const { return whole_table ? no_limit : usual; }
};

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
  std::vector<std::string> warnings;  ///< "rank 0: ..."; equal ones once
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::optional<std::int64_t> elapsed_ns{};  ///< of the slowest rank

  bool bad() const { return ending.status != RunStatus::ok; }
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
