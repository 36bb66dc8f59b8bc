#include "report/wording/sections.hpp"

#include <algorithm>
#include <utility>

namespace contextual::log_report {
namespace {

constexpr std::size_t id_columns = 12;  ///< enough to tell ids apart, and for --tuning

/// The newest ones, and those that ended badly before them.
std::vector<const RunAnalysis*> overview_of(const Report& report, std::size_t limit) {
  std::vector<const RunAnalysis*> shown;
  for (const RunAnalysis& run : report.runs) {
    if (run.number + limit > report.runs.size() || run.bad()) {
      shown.push_back(&run);
    }
  }
  shown.erase(shown.begin(), shown.end() - static_cast<std::ptrdiff_t>(std::min(shown.size(), 2 * limit)));
  return shown;
}

/// "gemm: 1, rms_norm: 0".
std::string choices_text(const RunAnalysis& run) {
  const auto text = [](const ProblemResult& problem) {
    return problem.choice() == nullptr
               ? ""
               : std::string(problem.name->kernel) + ": " + std::to_string(problem.choice()->config.id);
  };
  return joined(run.problems, ", ", text, 16);
}

/// "4", or "3/4" if one rank wrote nothing.
std::string rank_fraction(const RunOfAllRanks& run) {
  const std::string all = std::to_string(run.rank_count);
  return run.absent.empty() ? all : std::to_string(run.ranks.size()) + "/" + all;
}

Table runs_table(const std::vector<const RunAnalysis*>& shown) {
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
  for (const RunAnalysis* each : shown) {
    const RunOfAllRanks& run = *each->run;
    const std::string number = std::to_string(each->number);
    table.add({number, shorten(run.id, id_columns), std::string(run.started), region_text(run),
               rank_fraction(run), std::string(name_of(each->ending.status)),
               std::to_string(each->walk_iterations) + " + " + std::to_string(each->search_iterations),
               each->elapsed_ns ? duration_text(*each->elapsed_ns) : "",
               each->gain ? percent_text(each->gain->centre) : "", choices_text(*each)},
              each->bad() ? Tone::bad : Tone::none, each->selected ? "run-" + number : "");
  }
  return table;
}

void write_files(Writer& out, const Report& report) {
  const Logs& logs = report.logs;
  std::size_t lines = 0;
  for (const LogFile& file : logs.files) {
    lines += file.line_count;
  }
  out.paragraph(report.directory, count_text(logs.files.size(), "log") + ", " + count_text(lines, "line") +
                                      ", " + count_text(report.runs.size(), "tuning run"));
  for (const LogFile& file : logs.files) {
    if (!file.problem.empty()) {
      out.paragraph("", file.name + ": cannot be read: " + file.problem, Tone::bad);
    }
    if (file.damaged_count > 0) {
      out.paragraph(
          "damaged lines, skipped",
          file.name + ": " + std::to_string(file.damaged_count) + ", the first is " + file.first_damage,
          Tone::bad);
    }
  }
}

void write_overview(Writer& out, const Report& report, const ReportOptions& options) {
  const std::size_t all = report.runs.size();
  const std::vector<const RunAnalysis*> shown = overview_of(report, options.all ? all : runs_in_overview);
  out.heading("Tuning runs, the newest last");
  out.table(runs_table(shown));
  if (shown.size() < all) {
    out.paragraph("", count_text(all - shown.size(), "older run") + " left out; --all shows them", Tone::dim);
  }
  bool any = false;
  for (const RunAnalysis* run : shown) {
    if (const std::string culprit = run->ending.culprit_line(); !culprit.empty()) {
      if (!std::exchange(any, true)) {
        out.heading("Runs that ended badly");
      }
      out.paragraph(std::to_string(run->number) + " " + shorten(region_text(*run->run), 24),
                    message_text(culprit), Tone::bad);
    }
  }
}

}  // namespace

void write_report(Writer& out, const Report& report, const ReportOptions& options) {
  write_files(out, report);
  if (report.runs.empty()) {
    out.paragraph("", "no tuning run in these logs");
    return;
  }
  const std::vector<const RunAnalysis*> selected = report.selected();
  write_overview(out, report, options);
  for (const RunAnalysis* run : selected) {
    write_details(out, *run, report.logs, options);
  }
  if (selected.empty()) {
    out.heading("No run of that name: --region and --tuning take what the overview shows");
  } else if (selected.size() < report.runs.size()) {
    out.paragraph("",
                  "Details of the newest run of each region that measured; --all shows every run, --tuning N "
                  "one of them.",
                  Tone::dim);
  }
}

}  // namespace contextual::log_report
