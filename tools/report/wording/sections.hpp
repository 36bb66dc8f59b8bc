#pragma once

/// \file
/// The sections of a report, for the text and the page alike, and what both have to be able to write.

#include "report/judging/report.hpp"
#include "report/judging/report_options.hpp"
#include "report/wording/table.hpp"

#include <cstddef>
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

/// Returns a sentence for each thing that is known: the parts alone, the limit, and what is hidden. The last
/// one says what is missing, if something is.
std::vector<std::string> limit_texts(const Limit& limit);

/// Writes everything.
void write_report(Writer& out, const Report& report, const ReportOptions& options);

/// Writes all about one run. `logs` must be those that the run was read from.
void write_details(Writer& out, const RunAnalysis& analysis, const Logs& logs, const ReportOptions& options);

/// Puts `label` before the problem's name.
void write_problem(Writer& out, const ProblemResult& problem, const std::string& label);

/// Writes the searches of a run, or nothing if it had none.
void write_searches(Writer& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Writes the table, or nothing for a run without launches.
void write_iterations(Writer& out, const RunAnalysis& analysis, const ReportOptions& options);

/// Says that something is left out which `--whole-table` shows; nothing if `count` is 0.
void note_left_out(Writer& out, std::size_t count, const std::string& singular,
                   const std::string& plural = {});

}  // namespace contextual::log_report
