#pragma once

/// \file
/// What the text and the page have to be able to write.

#include "report/judging/analysis.hpp"
#include "report/wording/table.hpp"

#include <cstddef>
#include <string>

namespace contextual::log_report {

/// How many entries of each list are shown.
struct Limits {
  std::size_t runs;        ///< in the overview
  std::size_t details;     ///< runs with details
  std::size_t damaged;     ///< lines of one file
  std::size_t problems;    ///< of one run
  std::size_t configs;     ///< of one problem
  std::size_t searches;    ///< of one run
  std::size_t sets;        ///< of one search
  std::size_t infeasible;  ///< sets of one search
  std::size_t ranks;       ///< by slowness
  std::size_t rows;        ///< of the iteration table
  std::size_t columns;     ///< of the iteration table
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
  virtual void begin_run(const RunAnalysis& analysis, std::size_t number) = 0;
  virtual void end_run() = 0;

  virtual void heading(const std::string& text) = 0;
  /// Writes "label: text", or `text` alone without a label.
  virtual void paragraph(const std::string& label, const std::string& text, Tone tone = Tone::none) = 0;
  /// Writes what belongs to the paragraph before.
  virtual void detail(const std::string& text) = 0;
  /// Writes nothing for a table without rows. A reader of the page unfolds one with a title.
  virtual void table(const Table& table, const std::string& title = {}) = 0;

  /// Plots, which only the page has.
  virtual void plot(const RunAnalysis& analysis) = 0;
  virtual void plot(const ProblemResult& problem) = 0;
  virtual void plot(const SearchView& search) = 0;

 private:
  Limits limits_;
};

}  // namespace contextual::log_report
