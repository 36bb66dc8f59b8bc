#include "report/html/html_writer.hpp"

#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/html/plots.hpp"
#include "report/wording/run_wording.hpp"

namespace contextual::log_report {
namespace {

Limits limits_of(const ReportOptions& options) {
  return {.runs = 1'000,
          .details = 50,
          .damaged = 20,
          .problems = options.limit(100),
          .configs = options.limit(500),
          .searches = options.limit(20),
          .sets = options.limit(200),
          .infeasible = options.limit(200),
          .ranks = options.limit(16),
          .rows = options.limit(1'000),
          .columns = options.limit(32)};
}

}  // namespace

HtmlWriter::HtmlWriter(const ReportOptions& options) : Writer(limits_of(options)) {}

void HtmlWriter::begin_run(const RunAnalysis& analysis, std::size_t number) {
  const RunOfAllRanks& run = *analysis.run;
  const std::string status = status_name(analysis.ending.status);
  std::string badges = element("span", status, "class=\"badge " + status + "\"");
  if (!analysis.comparison.disagreements.empty()) {
    badges += " " + element("span", "ranks disagree", "class=\"badge failed\"");
  }
  out_ += "<section id=\"run-" + std::to_string(number) + "\">\n" +
          element("h2", std::to_string(number) + ". " + escaped(region_text(run)) + " " + badges) + "\n";
  paragraph("", "Tuning " + run.id + ", " + head_text(run));
}

void HtmlWriter::end_run() {
  out_ += "</section>\n";
}

void HtmlWriter::heading(const std::string& text) {
  out_ += element("h3", escaped(text)) + "\n";
}

void HtmlWriter::paragraph(const std::string& label, const std::string& text, Tone tone) {
  std::string markup = label.empty() ? "" : element("strong", escaped(label) + ":") + " ";
  markup += tone == Tone::bold || tone == Tone::good ? element("strong", escaped(text)) : escaped(text);
  markup = element("p", markup, tone == Tone::dim ? "class=\"soft\"" : "");
  out_ += (tone == Tone::bad ? element("div", markup, "class=\"alarm\"") : markup) + "\n";
}

void HtmlWriter::detail(const std::string& text) {
  paragraph("", text, Tone::dim);
}

void HtmlWriter::table(const Table& table, const std::string& title) {
  if (table.rows.empty()) {
    return;
  }
  const std::string markup = table_markup(table);
  out_ +=
      title.empty() ? markup : element("details", element("summary", escaped(title)) + "\n" + markup) + "\n";
}

void HtmlWriter::plot(const RunAnalysis& analysis) {
  out_ += region_plot(analysis.view);
}

void HtmlWriter::plot(const ProblemResult& problem) {
  out_ += config_plot(problem);
}

void HtmlWriter::plot(const SearchView& search) {
  out_ += search_map(search);
}

}  // namespace contextual::log_report
