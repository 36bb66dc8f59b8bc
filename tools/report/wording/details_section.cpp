#include "report/format/quantities.hpp"
#include "report/judging/absence.hpp"
#include "report/wording/config_wording.hpp"
#include "report/wording/limit_wording.hpp"
#include "report/wording/run_wording.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>
#include <string_view>

namespace contextual::log_report {
namespace {

void write_head(Writer& out, const RunAnalysis& analysis) {
  const RunOfAllRanks& run = *analysis.run;
  const RankRun& first = *run.ranks.front();
  if (first.start && !first.start->options.empty()) {
    const std::string_view restore = first.start->restore;
    out.paragraph(
        "options",
        std::string(first.start->options) + (restore.empty() ? "" : " restore=" + std::string(restore)),
        Tone::dim);
  }
  if (const std::string text = never_met_text(run); !text.empty()) {
    out.paragraph("", text);
  }
  if (const std::string result = result_text(analysis); !result.empty()) {
    out.paragraph("result", result, Tone::bold);
  }
  if (const std::string culprit = analysis.ending.culprit_line(); !culprit.empty()) {
    out.paragraph("", message_text(culprit), Tone::bad);
  }
}

void write_stops(Writer& out, const RunAnalysis& analysis, const Logs& logs) {
  if (analysis.ending.status == RunStatus::ok) {
    return;
  }
  out.heading("Where each rank stopped");
  for (const Stop& stop : analysis.ending.stops) {
    out.paragraph("",
                  ranks_text(stop.ranks) + " (" + state_name(stop.state) + ")" +
                      (stop.where.empty() ? "" : ": " + stop.where),
                  stop.state == RankState::ok ? Tone::none : Tone::bold);
    out.detail(message_text(stop.what));
  }
  for (const Absence& absence : absences_of(*analysis.run, logs)) {
    out.paragraph("", absence.text(), Tone::bold);
  }
}

/// One line for each choice, as the report of the library has them.
void write_choices(Writer& out, const RunAnalysis& analysis) {
  Table table{{{"", Align::left, Room::gives_way},
               {"", Align::left, Room::gives_way},
               {"", Align::left, Room::gives_way},
               {"", Align::right},
               {"", Align::right},
               {}}};
  for (const ProblemResult& problem : analysis.problems) {
    if (!problem.choices.empty()) {
      table.add(choice_cells(problem));
    }
  }
  if (!table.rows.empty()) {
    out.heading("Choices: kernel, key, config, own time in the chosen set, to that with all defaults");
    out.table(table);
  }
}

void write_texts(Writer& out, const std::string& title, const std::vector<std::string>& texts) {
  if (!texts.empty()) {
    out.heading(title);
  }
  for (const std::string& text : texts) {
    out.paragraph("", message_text(text));
  }
}

}  // namespace

void note_left_out(Writer& out, std::size_t count, const std::string& singular, const std::string& plural) {
  if (count > 0) {
    out.paragraph("", count_text(count, singular, plural) + " left out; --whole-table shows them", Tone::dim);
  }
}

void write_details(Writer& out, const RunAnalysis& analysis, const Logs& logs, std::size_t number,
                   const ReportOptions& options) {
  out.begin_run(analysis, number);
  write_head(out, analysis);
  write_stops(out, analysis, logs);
  write_choices(out, analysis);
  write_rank_differences(out, analysis);
  write_texts(out, "Warnings", analysis.warnings);
  if (analysis.limit != nullptr) {
    write_texts(out, "Limit: how short the region could be", limit_texts(*analysis.limit));
  }
  out.plot(analysis);
  const std::size_t shown = std::min(out.limits().problems, analysis.problems.size());
  for (std::size_t i = 0; i < shown; ++i) {
    write_problem(out, analysis.problems[i], problem_label(analysis, analysis.problems[i].name));
  }
  note_left_out(out, analysis.problems.size() - shown, "kernel or key", "kernels and keys");
  write_searches(out, analysis);
  write_slowness(out, analysis);
  write_iterations(out, analysis, options);
  out.end_run();
}

}  // namespace contextual::log_report
