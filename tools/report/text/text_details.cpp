#include "report/format/ranges.hpp"
#include "report/judging/absence.hpp"
#include "report/text/text_sections.hpp"
#include "report/wording/config_wording.hpp"
#include "report/wording/limit_wording.hpp"
#include "report/wording/run_wording.hpp"

namespace contextual::log_report {
namespace {

void write_head(TextWriter& out, const RunAnalysis& analysis) {
  const TuningRun& run = *analysis.run;
  out.title(region_text(run) + ": tuning " + run.id);
  out.paragraph("", head_text(run));
  const RankRun& first = *run.ranks.front();
  if (first.start && !first.start->options.empty()) {
    out.paragraph("options: ", std::string(first.start->options), Colour::dim);
  }
  if (const std::string text = never_met_text(run); !text.empty()) {
    out.paragraph("", text);
  }
}

void write_stops(TextWriter& out, const RunAnalysis& analysis, const Logs& logs) {
  out.heading("Where each rank stopped");
  for (const Stop& stop : analysis.ending.stops) {
    const Colour colour = stop.state == RankState::ok ? Colour::none : Colour::bold;
    out.paragraph("  ",
                  ranks_text(stop.ranks) + " (" + state_name(stop.state) + ")" +
                      (stop.where.empty() ? "" : ": " + stop.where),
                  colour);
    out.paragraph("    ", stop.what, Colour::none, 8);
  }
  for (const Absence& absence : absences_of(*analysis.run, logs)) {
    out.paragraph("  ", absence.text(), Colour::bold);
  }
}

void write_ending(TextWriter& out, const RunAnalysis& analysis, const Logs& logs) {
  const Ending& ending = analysis.ending;
  const bool ok = ending.status == RunStatus::ok;
  out.line("status: " + std::string(status_name(ending.status)), ok ? Colour::good : Colour::bad);
  if (const std::string result = result_text(analysis); !result.empty()) {
    out.paragraph("result: ", result, Colour::bold);
  }
  if (const std::string culprit = ending.culprit_line(); !culprit.empty()) {
    out.paragraph("", culprit, Colour::bad, 12);
  }
  if (!ok) {
    write_stops(out, analysis, logs);
  }
}

/// One line for each choice, as the report of the library has them.
void write_choices(TextWriter& out, const RunAnalysis& analysis) {
  TextTable table({{"", Align::left, true},
                   {"", Align::left, true},
                   {"", Align::left, true},
                   {"", Align::right},
                   {"", Align::right},
                   {"", Align::left}});
  for (const ProblemResult& problem : analysis.problems) {
    if (!problem.choices.empty()) {
      table.add(choice_cells(problem));
    }
  }
  if (!table.empty()) {
    out.heading("Choices: kernel, key, config, own time in the chosen set, to that with all defaults");
    out.table(table, 2);
  }
}

void write_limit(TextWriter& out, const RunAnalysis& analysis) {
  if (analysis.limit == nullptr) {
    return;
  }
  out.heading("Limit: how short the region could be");
  for (const std::string& text : limit_texts(*analysis.limit)) {
    out.paragraph("  ", text);
  }
}

void write_warnings(TextWriter& out, const RunAnalysis& analysis) {
  if (analysis.warnings.empty()) {
    return;
  }
  out.heading("Warnings");
  for (const std::string& text : analysis.warnings) {
    out.paragraph("  ", text, Colour::none, 6);
  }
}

}  // namespace

void write_details(TextWriter& out, const RunAnalysis& analysis, const Logs& logs,
                   const ReportOptions& options) {
  write_head(out, analysis);
  write_ending(out, analysis, logs);
  write_choices(out, analysis);
  write_rank_differences(out, analysis);
  write_warnings(out, analysis);
  write_limit(out, analysis);
  for (const ProblemResult& problem : analysis.problems) {
    write_problem(out, problem, problem_label(analysis, problem.name), options);
  }
  write_search(out, analysis, options);
  write_slowness(out, analysis, options);
  write_iterations(out, analysis, options);
}

}  // namespace contextual::log_report
