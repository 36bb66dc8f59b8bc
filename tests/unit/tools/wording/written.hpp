#pragma once

/// \file
/// What a section writes, for tests.

#include "report/wording/sections.hpp"

#include <functional>
#include <string>

namespace report_test {

/// Takes paragraphs as "label: text" and the rows of tables with a bar after each cell.
class Written final : public contextual::log_report::Writer {
 public:
  Written() : Writer({100, 100, 100, 100, 100}) {}

  void begin_run(const contextual::log_report::RunAnalysis& /*analysis*/) override {}
  void end_run() override {}
  void heading(const std::string& line) override { text += line + "\n"; }
  void paragraph(const std::string& label, const std::string& line,
                 contextual::log_report::Tone /*tone*/) override {
    text += (label.empty() ? "" : label + ": ") + line + "\n";
  }
  void detail(const std::string& line) override { text += line + "\n"; }
  void table(const contextual::log_report::Table& table, const std::string& /*title*/) override {
    for (const auto& row : table.rows) {
      text += contextual::log_report::joined(row.cells, "|", std::identity()) + "\n";
    }
  }

  std::string text;
};

}  // namespace report_test
