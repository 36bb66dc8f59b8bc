#include "report/text/text_writer.hpp"

#include "report/format/columns.hpp"
#include "report/text/text_table.hpp"
#include "report/wording/run_wording.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t below_heading = 2;

Limits limits_of(const ReportOptions& options) {
  return {.runs = 50,
          .details = options.limit(no_limit),
          .damaged = 5,
          .problems = no_limit,
          .configs = options.limit(40),
          .searches = options.limit(10),
          .sets = options.limit(16),
          .infeasible = options.limit(4),
          .ranks = options.limit(8),
          .rows = options.limit(60),
          .columns = options.limit(64)};
}

}  // namespace

TextWriter::TextWriter(const ReportOptions& options)
    : Writer(limits_of(options)), width_(options.width), colour_(options.colour) {}

void TextWriter::begin_run(const RunAnalysis& analysis, std::size_t /*number*/) {
  const RunOfAllRanks& run = *analysis.run;
  std::string line = "== " + shorten(region_text(run) + ": tuning " + run.id, width_ - 8) + " ";
  line.append(width_ - columns_of(line), '=');
  out_ += "\n" + painted(line, Tone::bold, colour_) + "\n";
  in_run_ = true;
  indent_ = 0;
  paragraph("", head_text(run));
  const bool ok = analysis.ending.status == RunStatus::ok;
  paragraph("status", status_name(analysis.ending.status), ok ? Tone::good : Tone::bad);
}

void TextWriter::end_run() {
  in_run_ = false;
  indent_ = 0;
}

void TextWriter::heading(const std::string& text) {
  out_ += "\n";
  lines("", text, Tone::bold);
  indent_ = in_run_ ? below_heading : 0;
}

void TextWriter::paragraph(const std::string& label, const std::string& text, Tone tone) {
  lines(std::string(indent_, ' ') + (label.empty() ? "" : label + ": "), text, tone);
}

void TextWriter::detail(const std::string& text) {
  lines(std::string(indent_ + 2, ' '), text, Tone::none);
}

void TextWriter::table(const Table& table, const std::string& /*title*/) {
  if (!table.rows.empty()) {
    out_ += table_text(table, width_, indent_, colour_);
  }
}

/// A long head has no text beside it.
void TextWriter::lines(const std::string& head, const std::string& text, Tone tone) {
  const std::size_t wide = columns_of(head);
  const bool beside = wide < width_ / 2;
  const std::size_t indent = beside ? wide : indent_ + 4;
  std::string lead = head;
  if (!beside) {
    for (const std::string& piece : wrap(head, width_)) {
      out_ += painted(piece, tone, colour_) + "\n";
    }
    lead.assign(indent, ' ');
  }
  for (const std::string& piece : wrap(text, width_ - indent)) {
    out_ += painted(lead + piece, tone, colour_) + "\n";
    lead.assign(indent, ' ');
  }
}

}  // namespace contextual::log_report
