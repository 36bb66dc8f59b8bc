#pragma once

/// \file
/// What a tuner did: per region the choices and why, the measurements behind them, and the iteration table.

#include <contextual/config.hpp>
#include <contextual/export.hpp>
#include <contextual/phase.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

/// A robust summary of times.
struct TimeSummary {
  std::size_t count = 0;
  double centre_ns = 0;  ///< median, or trimmed mean where that was asked for
  double spread_ns = 0;  ///< 1.4826 x median absolute deviation
};

/// One config of one tuning problem, as walked.
struct ConfigReport {
  std::size_t config_id = 0;
  Config config;
  TimeSummary time;                      ///< own time, MAX over ranks
  TimeSummary makespan;                  ///< of the tuning iterations of its samples
  std::optional<std::string> rejection;  ///< why it is out
  bool left_out = false;                 ///< no candidate: `keep` said so on some rank
};

enum class ProblemOutcome {
  locked_in,    ///< its best config is fixed
  provisional,  ///< the best so far is used for now: the walk was cut short, or no choice could be confirmed
  failed,       ///< every config was rejected
  open,         ///< the run ended before
};

/// One tuning problem.
struct ProblemReport {
  std::string kernel;  ///< or the name of the coupling
  std::string key;
  ProblemOutcome outcome = ProblemOutcome::open;
  std::size_t choice = 0;  ///< config id
  Config choice_config;
  std::string reason;         ///< why this choice
  bool reused = false;        ///< locked in by an earlier run
  std::size_t first_row = 0;  ///< of the iteration table, in which it was first seen
  std::vector<ConfigReport> configs;
};

/// One contest of the finals.
struct ContestReport {
  std::string subject;  ///< "sets", "verdict", or kernel and key
  std::string reason;
};

/// What one problem did in one row, e.g. "config-1 (iter-0)", "config-2 (candidate)" or "-" (not launched).
struct TableCell {
  std::size_t problem = 0;  ///< index in RegionReport::problems
  std::string text;
};

/// One row of the iteration table. Problems without a cell used their best config: so a table takes memory
/// for what was tried, not for every problem in every row.
struct TableRow {
  std::string iteration;  ///< "0", "1", ..., "final"
  Phase phase = Phase::walk;
  std::vector<TableCell> cells;  ///< by problem
};

/// One `run` of a region.
struct RegionReport {
  std::string region;
  std::string run_id;
  std::vector<ProblemReport> problems;  ///< in the order the ranks agreed on, then those of this rank alone
  std::vector<ContestReport> contests;
  std::vector<TableRow> table;
  std::int64_t walk_iterations = 0;
  std::int64_t search_iterations = 0;
  std::int64_t retakes = 0;
  bool hit_iteration_cap = false;
  std::optional<TimeSummary> default_makespan;  ///< the region with all defaults, from the finals' verdict
  std::optional<TimeSummary> tuned_makespan;    ///< with everything locked in, from the same rounds
  std::vector<std::string> warnings;
  std::string timer;                          ///< by which it was measured, e.g. "CUPTI"
  std::optional<std::int64_t> timer_bias_ns;  ///< see Timer::bias_ns
  std::string log_directory;                  ///< empty: no log

  /// A cell of the table: "best-config" where nothing was tried, empty before the problem was first seen.
  CONTEXTUAL_API std::string cell_text(std::size_t row, std::size_t problem) const;
  /// The iteration table as Markdown, of one phase or of all.
  CONTEXTUAL_API std::string table_text(std::optional<Phase> only = std::nullopt) const;
  /// Choices and reasons, one problem a line.
  CONTEXTUAL_API std::string choices_text() const;
};

/// All runs of a tuner, in order; runs of one region that follow each other with nothing to tune count once.
/// A copy: keep it in a variable while you look into it.
struct Report {
  std::vector<RegionReport> runs;

  /// The latest run of a region, or null. It points into this report: `tuner.report().find("step")` would
  /// outlive what it points to, so it does not compile.
  CONTEXTUAL_API const RegionReport* find(std::string_view region) const&;
  const RegionReport* find(std::string_view region) const&& = delete;
};

}  // namespace contextual
