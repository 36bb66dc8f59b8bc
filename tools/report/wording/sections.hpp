#pragma once

/// \file
/// The sections of a report, for the text and the page alike, what both have to be able to write, and texts
/// that the page's plots have, too.

#include "report/format/table.hpp"
#include "report/judging/report.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::log_report {

inline constexpr std::size_t runs_in_overview = 50;
inline constexpr std::size_t searches_shown = 10;  ///< of one run
inline constexpr std::size_t slow_ranks_shown = 8;
inline constexpr std::size_t table_columns = 64;  ///< problems in the iteration table

/// How many entries of a list are shown, where text and page differ.
struct Limits {
  std::size_t problems;    ///< of one run
  std::size_t configs;     ///< of one problem
  std::size_t sets;        ///< of one search
  std::size_t infeasible;  ///< sets of one search
  std::size_t rows;        ///< of the iteration table
};

/// Takes a report in the order in which it is read.
class Writer {
 public:
  explicit Writer(const Limits& limits) : limits_(limits) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual ~Writer() = default;

  const Limits& limits() const { return limits_; }

  /// Begins the details of a run, with its name and status; what follows until `end_run` belongs to it.
  virtual void begin_run(const RunAnalysis& analysis) = 0;
  virtual void end_run() = 0;

  virtual void heading(const std::string& text) = 0;
  /// Writes "label: text", or `text` alone without a label.
  virtual void paragraph(const std::string& label, const std::string& text, Tone tone = Tone::none) = 0;
  /// Writes what belongs to the paragraph before.
  virtual void detail(const std::string& text) = 0;
  /// Writes nothing for a table without rows. A reader of the page unfolds one with a title.
  virtual void table(const Table& table, const std::string& title = {}) = 0;

  /// Plots, which only the page has.
  virtual void plot_region(const RunAnalysis& /*run*/) {}
  virtual void plot_configs(const ProblemResult& /*problem*/) {}
  virtual void plot_sets(const RunAnalysis& /*run*/, const SearchView& /*search*/) {}

 private:
  Limits limits_;
};

/// Returns when the run started and with how many ranks, e.g. "started 2026-01-31T12:00:00Z, 2 of 4 ranks,
/// group MPI (4 ranks)".
std::string head_text(const RunOfAllRanks& run);

/// Returns the region, or the regions of ranks that never met.
std::string region_text(const RunOfAllRanks& run);

/// Returns the name of a problem in the iteration table: e.g. "[2] " for the second of several problems, and
/// an empty text for an only one.
std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem);

/// Returns a message of a program, of which the end may be left out: it can be endless.
std::string message_text(std::string_view message);

/// Returns e.g. "chosen, default", "rejected: ..." or "no samples".
std::string config_status(const ConfigResult& config);

/// Returns the configs that a list shows, as ascending indices of ProblemResult::configs. If there are more
/// than `limit`, these are the default, the chosen one and the fastest ones.
std::vector<std::size_t> configs_shown(const ProblemResult& problem, std::size_t limit);

/// Returns the config as text, "config-2" if the log never names it.
std::string config_label(const ConfigResult& config);

/// Returns the cells of a line on a choice: kernel, key, config, own time, "default" or how that compares
/// with the default's with all defaults, rates, and notes. The time of the choice in force is the one in the
/// chosen set, if that has run as a whole, else that of the walk.
std::vector<std::string> choice_cells(const ProblemResult& problem, const Choice& choice);

/// Returns the configs of the problems whose configs differ in this search, e.g. "gemm 1, norm 0"; of very
/// many problems only the first ones. The name is the kernel, with the key where several have the same
/// kernel.
std::string set_text(const SearchView& search, const ConfigIds& config_ids);

/// Returns the same with values, e.g. "gemm {BLOCK_N: 128}, norm {ROWS: 4}". `problems` are those of the run.
std::string set_label(const SearchView& search, const ConfigIds& config_ids,
                      const std::vector<ProblemResult>& problems);

/// Returns e.g. "infeasible: rank 1: no progress in 1000 ms".
std::string infeasible_text(const InfeasibleAssignment& infeasible);

/// Returns what a measured assignment is besides a set of configs, e.g. "chosen, all defaults", or an empty
/// text.
std::string standing_text(const SearchView& search, const MeasuredView& measured);

/// Returns what SearchView::defaults are: "all defaults", or those of an alternative.
std::string_view defaults_name(const SearchView& search);

/// Returns how the choice, which there must be, compares with these, as the closing comparison has it.
std::string comparison_text(const SearchView& search);

/// Returns the measured assignments that a list shows, the shortest first, as indices of
/// SearchView::measured. If there are more than `limit`, these are the shortest ones, the chosen one, all
/// defaults, and the best by own times.
std::vector<std::size_t> measured_shown(const SearchView& search, std::size_t limit);

enum class Rows : std::uint8_t {
  joined,  ///< similar rows become one
  all,     ///< one row for each iteration
};

/// Returns the iteration table as it happened, with a column for each of the first `problems` of the view.
/// `Rows::joined` joins successive rows that differ only in the iteration of a config's steps. It also joins
/// equal rows of the search that do not follow each other, because the search comes back to an assignment.
Table iteration_table(const RunAnalysis& analysis, Rows rows, std::size_t problems);

/// Writes everything.
void write_report(Writer& out, const Report& report, const ReportOptions& options);

/// Writes all about one run. `logs` must be those that the run was read from.
void write_details(Writer& out, const RunAnalysis& analysis, const Logs& logs, const ReportOptions& options);

/// Writes the parts alone, the limit, and what is hidden, as far as that is known.
void write_limit(Writer& out, const Limit& limit);

/// Puts `label` before the problem's name.
void write_problem(Writer& out, const ProblemResult& problem, const std::string& label);

/// Writes what a search has measured, chosen and gained, and how sure that is.
void write_facts(Writer& out, const SearchView& search);

/// Writes the searches of a run, or nothing if it had none.
void write_searches(Writer& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Writes the table, or nothing for a run without launches.
void write_iterations(Writer& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Says that something is left out which `--whole-table` shows; nothing if `count` is 0.
void note_left_out(Writer& out, std::size_t count, const std::string& singular,
                   const std::string& plural = {});

}  // namespace contextual::log_report
