#pragma once

/// \file
/// Writes a report as the body of a page.

#include "report/judging/report_options.hpp"
#include "report/wording/writer.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace contextual::log_report {

class HtmlWriter final : public Writer {
 public:
  explicit HtmlWriter(const ReportOptions& options);

  void begin_run(const RunAnalysis& analysis, std::size_t number) override;
  void end_run() override;
  void heading(const std::string& text) override;
  void paragraph(const std::string& label, const std::string& text, Tone tone = Tone::none) override;
  void detail(const std::string& text) override;
  void table(const Table& table, const std::string& title = {}) override;
  void plot(const RunAnalysis& analysis) override;
  void plot(const ProblemResult& problem) override;
  void plot(const SearchView& search) override;

  /// Returns markup.
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace contextual::log_report
