#pragma once

/// \file
/// Writes a report as lines of text, wrapped to its width.

#include "report/judging/report_options.hpp"
#include "report/wording/writer.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace contextual::log_report {

class TextWriter final : public Writer {
 public:
  explicit TextWriter(const ReportOptions& options);

  void begin_run(const RunAnalysis& analysis, std::size_t number) override;
  void end_run() override;
  void heading(const std::string& text) override;
  void paragraph(const std::string& label, const std::string& text, Tone tone = Tone::none) override;
  void detail(const std::string& text) override;
  void table(const Table& table, const std::string& title = {}) override;
  void plot(const RunAnalysis& /*analysis*/) override {}
  void plot(const ProblemResult& /*problem*/) override {}
  void plot(const SearchView& /*search*/) override {}

  std::string take() { return std::move(out_); }

 private:
  /// Adds `head` and, wrapped beside it, `text`.
  void lines(const std::string& head, const std::string& text, Tone tone);

  std::size_t width_;
  bool colour_;
  bool in_run_ = false;
  std::size_t indent_ = 0;  ///< of what is below a heading of a run
  std::string out_;
};

}  // namespace contextual::log_report
