#include "report/html/html_report.hpp"

#include "report/html/svg.hpp"
#include "report/wording/sections.hpp"

#include <utility>

namespace contextual::log_report {
namespace {

/// The page's style sheet: light and dark, wide and narrow.
constexpr const char* page_style = R"css(
:root { color-scheme: light dark; --page: #f9f9f7; --card: #fcfcfb; --ink: #0b0b0b; --soft: #52514e;
  --line: #e1e0d9; --walk: #2a78d6; --search: #eb6834; --final: #1baf7a; --bad: #d03b3b; --good: #006300;
  --tint: #dcebfb; }
@media (prefers-color-scheme: dark) { :root { --page: #0d0d0d; --card: #1a1a19; --ink: #ffffff; --soft: #c3c2b7;
  --line: #33322f; --walk: #3987e5; --search: #d95926; --final: #199e70; --bad: #e66767; --good: #3ecb3e;
  --tint: #16304f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 12px; }
h1, h2, h3, p { margin: 4px 0; overflow-wrap: anywhere; }
h1, h2 { font-size: 1.3rem; }
h3 { font-size: 1rem; margin-top: 20px; }
.soft { color: var(--soft); font-size: .9em; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 16px; margin: 16px 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); }
th, td { padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
.wide { white-space: normal; min-width: 16em; overflow-wrap: anywhere; }
.number { text-align: right; }
tr.chosen td { background: var(--tint); }
.badge { display: inline-block; border-radius: 4px; padding: 0 8px; border: 1px solid currentColor; font-size: .85rem; font-weight: 600; }
.ok { color: var(--good); } .failed, .unfinished { color: var(--bad); }
.alarm { border-left: 4px solid var(--bad); padding: 6px 12px; margin: 8px 0; background: var(--page); }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--soft); }
figure { margin: 8px 0; max-width: 640px; } figcaption { font-size: .87rem; color: var(--soft); margin-bottom: 4px; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.legend { white-space: nowrap; margin-left: 8px; } .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; }
.grid { stroke: var(--line); stroke-width: 1; }
.row { fill: transparent; } .row.chosen { fill: var(--tint); }
.sample { fill: var(--walk); fill-opacity: .3; } .spread { stroke: var(--walk); stroke-width: 2; }
.median { fill: var(--walk); stroke: var(--card); stroke-width: 1.5; } .median.chosen { fill: var(--final); }
svg text.note { font-style: italic; }
.point { fill-opacity: .8; stroke: var(--card); stroke-width: .5; }
.walk { fill: var(--walk); } .search { fill: var(--search); } .final { fill: var(--final); }
.key.median, .key.walk { background: var(--walk); } .key.chosen, .key.final { background: var(--final); }
.key.search { background: var(--search); }
.key.sample { background: var(--walk); opacity: .3; } .key.spread { background: var(--walk); height: 3px; vertical-align: middle; }
a { color: var(--walk); }
)css";

Limits page_limits(const ReportOptions& options) {
  return {.problems = options.limit(100),
          .configs = options.limit(500),
          .sets = options.limit(200),
          .infeasible = options.limit(200),
          .rows = options.limit(1'000)};
}

/// Writes a report as a page.
class HtmlWriter final : public Writer {
 public:
  HtmlWriter(const ReportOptions& options, const std::string& title)
      : Writer(page_limits(options)),
        out_(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n" +
            element("title", title) + "\n" + element("style", page_style) + "\n</head>\n<body>\n<main>\n" +
            element("h1", title) + "\n") {}

  void begin_run(const RunAnalysis& analysis) override {
    const std::string number = std::to_string(analysis.number);
    const std::string status(name_of(analysis.ending.status));
    const std::string badge = element("span", status, "class=\"badge " + status + "\"");
    out_ += "<section id=\"run-" + number + "\">\n" +
            element("h2", number + ". " + escaped(region_text(*analysis.run)) + " " + badge) + "\n";
    paragraph("", "Tuning " + analysis.run->id + ", " + head_text(*analysis.run));
  }

  void end_run() override { out_ += "</section>\n"; }

  void heading(const std::string& text) override { out_ += element("h3", escaped(text)) + "\n"; }

  void paragraph(const std::string& label, const std::string& text, Tone tone = Tone::none) override {
    std::string markup = label.empty() ? "" : element("strong", escaped(label) + ":") + " ";
    markup += tone == Tone::bold || tone == Tone::good ? element("strong", escaped(text)) : escaped(text);
    markup = element("p", markup, tone == Tone::dim ? "class=\"soft\"" : "");
    out_ += (tone == Tone::bad ? element("div", markup, "class=\"alarm\"") : markup) + "\n";
  }

  void detail(const std::string& text) override { paragraph("", text, Tone::dim); }

  /// A reader can scroll a table that is too wide, and unfolds one with a title.
  void table(const Table& table, const std::string& title = {}) override {
    if (table.rows.empty()) {
      return;
    }
    out_ += (title.empty() ? "" : "<details>" + element("summary", escaped(title)) + "\n") +
            "<div class=\"scroll\"><table><thead><tr>";
    for (const Column& column : table.columns) {
      out_ += cell(column, escaped(column.title), "th");
    }
    out_ += "</tr></thead>\n<tbody>\n";
    for (const Table::Row& row : table.rows) {
      out_ += row_markup(table, row);
    }
    out_ += "</tbody></table></div>\n" + std::string(title.empty() ? "" : "</details>\n");
  }

  void plot_region(const RunAnalysis& run) override { out_ += region_plot(run.view); }
  void plot_configs(const ProblemResult& problem) override { out_ += config_plot(problem); }
  void plot_sets(const RunAnalysis& run, const SearchView& search) override {
    out_ += search_plot(search, run.problems);
  }

  std::string page() && { return std::move(out_ += "</main>\n</body>\n</html>\n"); }

 private:
  static std::string cell(const Column& column, const std::string& content, const char* name) {
    return element(name, content,
                   column.align == Align::right     ? "class=\"number\""
                   : column.room == Room::gives_way ? "class=\"wide\""
                                                    : "");
  }

  static std::string row_markup(const Table& table, const Table::Row& row) {
    std::string markup;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string text = escaped(row.cells[i]);
      const bool linked = i == 0 && !row.anchor.empty();
      markup +=
          cell(table.columns[i], linked ? element("a", text, "href=\"#" + row.anchor + "\"") : text, "td");
    }
    const char* const name = row.tone == Tone::good  ? "class=\"chosen\""
                             : row.tone == Tone::bad ? "class=\"failed\""
                                                     : "";
    return element("tr", markup, name) + "\n";
  }

  std::string out_;
};

}  // namespace

std::string html_report(const Report& report, const ReportOptions& options) {
  HtmlWriter out(options, escaped("Tuning report: " + report.directory));
  write_report(out, report, options);
  return std::move(out).page();
}

}  // namespace contextual::log_report
