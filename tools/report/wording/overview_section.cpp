#include "report/format/columns.hpp"
#include "report/format/quantities.hpp"
#include "report/wording/run_wording.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>
#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t id_columns = 12;  ///< enough to tell ids apart, and for --tuning

void write_damage(Writer& out, const Logs& logs, const ReportOptions& options) {
  if (logs.damaged_count() > 0) {
    out.paragraph("damaged lines, skipped", std::to_string(logs.damaged_count()), Tone::bad);
  }
  for (const LogFile& file : logs.files) {
    const std::size_t shown =
        std::min(file.damaged.size(), options.all ? file.damaged.size() : out.limits().damaged);
    for (std::size_t i = 0; i < shown; ++i) {
      out.detail(file.name + ":" + std::to_string(file.damaged[i].line) + ": " + file.damaged[i].reason);
    }
    if (file.damaged_count > shown) {
      out.detail(file.name + ": " + std::to_string(file.damaged_count - shown) + " more" +
                 (options.all ? "" : "; --all names more of them"));
    }
  }
}

/// The newest ones, and those that ended badly before them.
std::vector<const RunSummary*> overview_of(const Report& report, std::size_t limit) {
  std::vector<const RunSummary*> shown;
  std::size_t bad = 0;
  for (auto it = report.summaries.rbegin(); it != report.summaries.rend(); ++it) {
    const bool newest = static_cast<std::size_t>(it - report.summaries.rbegin()) < limit;
    if (newest || (it->bad() && bad < limit)) {
      shown.push_back(&*it);
      bad += it->bad() ? 1 : 0;
    }
  }
  std::reverse(shown.begin(), shown.end());
  return shown;
}

/// The newest of those that were selected, the newest last.
std::vector<const RunSummary*> detailed_runs(const Report& report, std::size_t limit) {
  std::vector<const RunSummary*> runs;
  for (const RunSummary& summary : report.summaries) {
    if (summary.selected) {
      runs.push_back(&summary);
    }
  }
  runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(std::min(limit, runs.size())));
  return runs;
}

Table runs_table(const std::vector<const RunSummary*>& shown,
                 const std::vector<const RunSummary*>& detailed) {
  Table table{{{"", Align::right},
               {"tuning"},
               {"started", Align::left, Room::minor},
               {"region", Align::left, Room::gives_way},
               {"ranks", Align::right},
               {"status"},
               {"walk + search", Align::right},
               {"elapsed", Align::right},
               {"to defaults", Align::right},
               {"choices", Align::left, Room::gives_way}}};
  for (const RunSummary* summary : shown) {
    const RunOfAllRanks& run = *summary->run;
    const std::string number = std::to_string(summary->number);
    const bool linked = std::find(detailed.begin(), detailed.end(), summary) != detailed.end();
    table.add({number + (summary->selected && !linked ? " (left out)" : ""), shorten(run.id, id_columns),
               std::string(run.started), region_text(run), rank_fraction(run), status_text(*summary),
               summary->iterations, summary->elapsed_ns < 0 ? "" : duration_text(summary->elapsed_ns),
               summary->change ? percent_text(*summary->change) : "", summary->choices},
              summary->bad() ? Tone::bad : Tone::none, linked ? "run-" + number : "");
  }
  return table;
}

void write_culprits(Writer& out, const std::vector<const RunSummary*>& shown) {
  bool any = false;
  for (const RunSummary* summary : shown) {
    if (!summary->culprit.empty()) {
      if (!std::exchange(any, true)) {
        out.heading("Runs that ended badly");
      }
      out.paragraph(std::to_string(summary->number) + " " + shorten(region_text(*summary->run), 24),
                    message_text(summary->culprit), Tone::bad);
    }
  }
}

}  // namespace

void write_files(Writer& out, const Report& report, const ReportOptions& options) {
  const Logs& logs = report.logs;
  std::size_t lines = 0;
  std::size_t unknown_events = 0;
  std::size_t unknown_fields = 0;
  for (const LogFile& file : logs.files) {
    lines += file.line_count;
    unknown_events += file.unknown_events;
    unknown_fields += file.unknown_fields;
  }
  out.paragraph(report.directory, count_text(logs.files.size(), "log") + ", " + count_text(lines, "line") +
                                      ", " + count_text(report.runs.size(), "tuning run"));
  for (const LogFile& file : logs.files) {
    if (!file.problem.empty()) {
      out.paragraph("", file.name + ": cannot be read: " + file.problem, Tone::bad);
    }
  }
  write_damage(out, logs, options);
  if (unknown_events + unknown_fields > 0) {
    out.paragraph("not known to this program, ignored",
                  count_text(unknown_events, "event") + ", " + count_text(unknown_fields, "field"));
  }
}

void write_overview(Writer& out, const Report& report, const std::vector<const RunSummary*>& detailed,
                    const ReportOptions& options) {
  const std::size_t all = report.summaries.size();
  const std::vector<const RunSummary*> shown = overview_of(report, options.all ? all : out.limits().runs);
  out.heading("Tuning runs, the newest last");
  out.table(runs_table(shown, detailed));
  if (shown.size() < all) {
    out.paragraph("", count_text(all - shown.size(), "older run") + " left out; --all shows them", Tone::dim);
  }
  write_culprits(out, shown);
}

void write_report(Writer& out, const Report& report, const ReportOptions& options) {
  write_files(out, report, options);
  if (report.runs.empty()) {
    out.paragraph("", "no tuning run in these logs");
    return;
  }
  const std::vector<const RunSummary*> detailed = detailed_runs(report, out.limits().details);
  write_overview(out, report, detailed, options);
  for (const RunSummary* summary : detailed) {
    write_details(out, analyse(*summary->run, report.logs), report.logs, summary->number, options);
  }
  const auto selected =
      static_cast<std::size_t>(std::count_if(report.summaries.begin(), report.summaries.end(),
                                             [](const RunSummary& summary) { return summary.selected; }));
  if (selected == 0) {
    out.heading("No run of that name: --region and --tuning take what the overview shows");
  } else if (selected > detailed.size()) {
    out.paragraph("",
                  "Details of " + count_text(selected - detailed.size(), "older run") +
                      " left out; --tuning N shows run N",
                  Tone::dim);
  } else if (selected < report.summaries.size()) {
    out.paragraph("",
                  "Details of the newest run of each region that measured; --all shows every run, --tuning N "
                  "one of them.",
                  Tone::dim);
  }
}

}  // namespace contextual::log_report
