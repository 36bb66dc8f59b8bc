#include "report/text/text_report.hpp"

#include "report/format/table.hpp"
#include "report/format/texts.hpp"
#include "report/wording/sections.hpp"

#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t below_heading = 2;

Limits text_limits(const ReportOptions& options) {
  return {.problems = no_limit,
          .configs = options.limit(40),
          .sets = options.limit(16),
          .infeasible = options.limit(4),
          .rows = options.limit(60)};
}

/// Writes a report as lines of text, wrapped to its width.
class TextWriter final : public Writer {
 public:
  explicit TextWriter(const ReportOptions& options) : Writer(text_limits(options)), width_(options.width) {}

  void begin_run(const RunAnalysis& analysis) override {
    const RunOfAllRanks& run = *analysis.run;
    std::string line = "== " + shorten(region_text(run) + ": tuning " + run.id, width_ - 8) + " ";
    line.append(width_ - record::column_count(line), '=');
    out_ += "\n" + line + "\n";
    in_run_ = true;
    indent_ = 0;
    paragraph("", head_text(run));
    paragraph("status", std::string(name_of(analysis.ending.status)));
  }

  void end_run() override {
    in_run_ = false;
    indent_ = 0;
  }

  void heading(const std::string& text) override {
    out_ += "\n";
    lines("", text);
    indent_ = in_run_ ? below_heading : 0;
  }

  void paragraph(const std::string& label, const std::string& text, Tone /*tone*/ = Tone::none) override {
    lines(std::string(indent_, ' ') + (label.empty() ? "" : label + ": "), text);
  }

  void detail(const std::string& text) override { lines(std::string(indent_ + 2, ' '), text); }

  void table(const Table& table, const std::string& /*title*/ = {}) override {
    if (!table.rows.empty()) {
      out_ += table_text(table, width_, indent_);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  /// Adds `head` and, wrapped beside it, `text`. A long head has no text beside it.
  void lines(const std::string& head, const std::string& text) {
    const std::size_t wide = record::column_count(head);
    const bool beside = wide < width_ / 2;
    const std::size_t indent = beside ? wide : indent_ + 4;
    std::string lead = head;
    if (!beside) {
      for (const std::string& piece : record::wrap(head, width_)) {
        out_ += piece + "\n";
      }
      lead.assign(indent, ' ');
    }
    for (const std::string& piece : record::wrap(text, width_ - indent)) {
      out_ += lead + piece + "\n";
      lead.assign(indent, ' ');
    }
  }

  std::size_t width_;
  bool in_run_ = false;
  std::size_t indent_ = 0;  ///< of what is below a heading of a run
  std::string out_;
};

}  // namespace

std::string text_report(const Report& report, const ReportOptions& options) {
  TextWriter out(options);
  write_report(out, report, options);
  return out.take();
}

}  // namespace contextual::log_report
