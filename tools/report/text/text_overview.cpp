#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/text/text_sections.hpp"
#include "report/wording/run_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t runs_in_overview = 50;
constexpr std::size_t id_columns = 12;      ///< enough to tell ids apart, and for --tuning
constexpr std::size_t damaged_in_text = 5;  ///< lines of one file

void write_damage(TextWriter& out, const Logs& logs, const ReportOptions& options) {
  if (logs.damaged_count() > 0) {
    out.line("damaged lines, skipped: " + std::to_string(logs.damaged_count()), Colour::bad);
  }
  for (const LogFile& file : logs.files) {
    const std::size_t shown =
        std::min(file.damaged.size(), options.all ? file.damaged.size() : damaged_in_text);
    for (std::size_t i = 0; i < shown; ++i) {
      out.paragraph("  " + file.name + ":" + std::to_string(file.damaged[i].line) + ": ",
                    file.damaged[i].reason);
    }
    if (file.damaged_count > shown) {
      out.line("  " + file.name + ": " + std::to_string(file.damaged_count - shown) + " more" +
               (options.all ? "" : "; --all names more of them"));
    }
  }
}

/// The newest ones, and those that ended badly before them.
std::vector<const RunSummary*> overview_of(const Report& report, const ReportOptions& options) {
  std::vector<const RunSummary*> shown;
  std::size_t bad = 0;
  for (auto it = report.summaries.rbegin(); it != report.summaries.rend(); ++it) {
    const bool newest = static_cast<std::size_t>(it - report.summaries.rbegin()) < runs_in_overview;
    if (options.all || newest || (it->bad() && bad < runs_in_overview)) {
      shown.push_back(&*it);
      bad += it->bad() ? 1 : 0;
    }
  }
  std::reverse(shown.begin(), shown.end());
  return shown;
}

void write_runs(TextWriter& out, const Report& report, const std::vector<const RunSummary*>& shown) {
  out.heading("Tuning runs, the newest last");
  TextTable table({{"", Align::right},
                   {"tuning"},
                   {"region", Align::left, true},
                   {"ranks", Align::right},
                   {"status"},
                   {"walk + search", Align::right},
                   {"elapsed", Align::right},
                   {"to defaults", Align::right},
                   {"choices", Align::left, true}});
  for (const RunSummary* summary : shown) {
    const TuningRun& run = *summary->run;
    table.add({std::to_string(summary->number), shorten(run.id, id_columns), region_text(run),
               rank_fraction(run), status_text(*summary), summary->iterations,
               summary->elapsed_ns < 0 ? "" : duration_text(summary->elapsed_ns),
               summary->change ? percent_text(*summary->change) : "", summary->choices},
              summary->bad() ? Colour::bad : Colour::none);
  }
  out.table(table);
  if (shown.size() < report.summaries.size()) {
    out.line(count_text(report.summaries.size() - shown.size(), "older run") + " left out; --all shows them");
  }
}

void write_culprits(TextWriter& out, const std::vector<const RunSummary*>& shown) {
  bool any = false;
  for (const RunSummary* summary : shown) {
    if (summary->culprit.empty()) {
      continue;
    }
    if (!any) {
      out.heading("Runs that ended badly");
      any = true;
    }
    out.paragraph(
        "  " + std::to_string(summary->number) + " " + shorten(region_text(*summary->run), 24) + ": ",
        summary->culprit, Colour::bad, 2);
  }
}

}  // namespace

void write_files(TextWriter& out, const Report& report, const ReportOptions& options) {
  const Logs& logs = report.logs;
  std::size_t lines = 0;
  std::size_t unknown_events = 0;
  std::size_t unknown_fields = 0;
  for (const LogFile& file : logs.files) {
    lines += file.line_count;
    unknown_events += file.unknown_events;
    unknown_fields += file.unknown_fields;
  }
  out.paragraph(report.directory + ": ", count_text(logs.files.size(), "log") + ", " +
                                             count_text(lines, "line") + ", " +
                                             count_text(report.runs.size(), "tuning run"));
  for (const LogFile& file : logs.files) {
    if (!file.problem.empty()) {
      out.paragraph("  ", file.name + ": cannot be read: " + file.problem, Colour::bad, 3);
    }
  }
  write_damage(out, logs, options);
  if (unknown_events + unknown_fields > 0) {
    out.line("not known to this program, ignored: " + count_text(unknown_events, "event") + ", " +
             count_text(unknown_fields, "field"));
  }
}

void write_overview(TextWriter& out, const Report& report, const ReportOptions& options) {
  const std::vector<const RunSummary*> shown = overview_of(report, options);
  write_runs(out, report, shown);
  write_culprits(out, shown);
}

}  // namespace contextual::log_report
