#include "report/text/text_report.hpp"

#include "report/text/text_sections.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace contextual::log_report {

std::size_t text_width(const char* columns, std::optional<std::size_t> terminal) {
  const std::string_view text = columns == nullptr ? "" : columns;
  std::size_t width = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
  if (error != std::errc{} || end != text.data() + text.size() || width == 0) {
    width = terminal.value_or(100);
  }
  return std::clamp<std::size_t>(width, narrowest_text, widest_text);
}

std::string text_report(const Report& report, const ReportOptions& options) {
  TextWriter out(options.width, options.colour);
  write_files(out, report, options);
  if (report.runs.empty()) {
    out.line("no tuning run in these logs");
    return out.take();
  }
  write_overview(out, report, options);
  std::size_t selected = 0;
  for (const RunSummary& summary : report.summaries) {
    if (summary.selected) {
      ++selected;
      write_details(out, analyse(*summary.run, report.logs), report.logs, options);
    }
  }
  if (selected == 0) {
    out.blank();
    out.line("no run of that name: --region and --tuning take what the overview shows", Colour::bad);
  } else if (selected < report.summaries.size()) {
    out.blank();
    out.paragraph("",
                  "Details of the newest run of each region; --all shows every run, --tuning N one of them.",
                  Colour::dim);
  }
  return out.take();
}

}  // namespace contextual::log_report
