#include "report/format/printable.hpp"
#include "report/format/quantities.hpp"
#include "report/judging/runs.hpp"
#include "report/wording/problem_section.hpp"
#include "report/wording/search_section.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace contextual::log_report {
namespace {

/// Without its sign, but for a minus.
std::string share_text(double share) {
  const std::string text = percent_text(share);
  return text.front() == '+' ? text.substr(1) : text;
}

std::string parts_text(const Limit& limit) {
  std::string text =
      "each part alone, in " + count_text(limit.round_count, "round") + " in turn with the whole region: ";
  text += joined(limit.parts, ", ", [](const PartTime& part) {
    return std::string(part.name) + " " +
           (part.makespan_ns ? duration_text(*part.makespan_ns) : "without a time");
  });
  double sum_ns = 0;
  for (const PartTime& part : limit.parts) {
    if (!part.makespan_ns) {
      return text;
    }
    sum_ns += *part.makespan_ns;
  }
  return text + "; one after the other " + duration_text(sum_ns);
}

std::string limit_text(const Limit& limit) {
  std::string text =
      "limit: the region takes at least as long as its longest part, " + duration_text(*limit.limit_ns);
  if (limit.result_ns) {
    text += "; it takes " + duration_text(*limit.result_ns) + ", " +
            percent_text(*limit.result_ns / *limit.limit_ns - 1) + " to that";
  }
  return text;
}

std::string never_met_text(const RunOfAllRanks& run) {
  if (run.met || run.rank_count == 1) {
    return "";
  }
  return run.ranks.size() > 1 ? "These ranks never met: joined by region, number of ranks and start"
                              : "This rank never met the others";
}

void add_slowness(Table& table, const Slowness& slowness, const std::string& name, std::size_t limit) {
  for (std::size_t i = 0; i < std::min(slowness.ranks.size(), limit); ++i) {
    const RankShare& share = slowness.ranks[i];
    table.add({i == 0 ? name : "", i == 0 ? std::to_string(slowness.iterations) : "",
               std::to_string(share.rank), share_text(share.slowest_share),
               percent_text(share.median_ratio - 1)});
  }
  if (slowness.ranks.size() > limit) {
    table.add({"", "", "...", "", count_text(slowness.ranks.size() - limit, "rank") + " more"});
  }
}

void write_rank_differences(Writer& out, const RunAnalysis& analysis) {
  if (!analysis.disagreements.empty()) {
    out.heading("Ranks disagree");
    for (const Disagreement& difference : analysis.disagreements) {
      out.paragraph(difference.what, difference.text, Tone::bad);
    }
  }
}

void write_slowness(Writer& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.slowness.empty()) {
    return;
  }
  out.heading("Slowest rank: share of the iterations in which a rank's own time was the longest");
  Table table{{{.room = Room::gives_way},
               {"iterations", Align::right},
               {"rank", Align::right},
               {"slowest", Align::right},
               {"own time to the agreed one", Align::right}}};
  for (const Slowness& slowness : analysis.slowness) {
    add_slowness(table, slowness,
                 slowness.problem == nullptr
                     ? "the region"
                     : problem_label(analysis, slowness.problem) + name_of(*slowness.problem),
                 options.limit(slow_ranks_shown));
  }
  out.table(table);
}

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
  if (!analysis.searches.empty() && !analysis.searches.back().choice.empty()) {
    const SearchView& last = analysis.searches.back();
    out.paragraph("to " + std::string(defaults_name(last)), comparison_text(last), Tone::bold);
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
                  ranks_text(stop.ranks) + " (" + std::string(name_of(stop.state)) + ")" +
                      (stop.where.empty() ? "" : ": " + stop.where),
                  stop.state == RankState::ok ? Tone::none : Tone::bold);
    out.detail(message_text(stop.what));
  }
  std::map<std::string, std::vector<std::int64_t>> absent;  // by why
  for (const std::int64_t rank : analysis.run->absent) {
    absent[why_absent(*analysis.run, logs, rank)].push_back(rank);
  }
  for (const auto& [why, ranks] : absent) {
    out.paragraph("", ranks_text(ranks) + ": " + why, Tone::bold);
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

std::vector<std::string> limit_texts(const Limit& limit) {
  std::vector<std::string> texts{parts_text(limit)};
  if (!limit.limit_ns || !limit.result_ns) {
    texts.emplace_back(
        "limit and hidden time are not known: the timer has no time of the region or of a part");
    return texts;
  }
  texts.push_back(limit_text(limit));
  if (limit.hidden && std::isfinite(*limit.hidden)) {
    texts.push_back("hidden: " + share_text(*limit.hidden) +
                    " of what the other parts take is hidden behind the longest one; 100 % is the limit, and "
                    "0 % is one part after the other");
  } else {
    texts.emplace_back(
        "hidden: nothing can be hidden, because the longest part takes as long as all of them");
  }
  return texts;
}

std::string head_text(const RunOfAllRanks& run) {
  const RankRun& first = *run.ranks.front();
  std::string text = run.started.empty() ? "start not known" : "started " + std::string(run.started);
  const auto found = static_cast<std::int64_t>(run.ranks.size());
  text += ", " + (found == run.rank_count ? "" : std::to_string(found) + " of ") +
          count_text(run.rank_count, "rank");
  if (run.rank_count > 1 && first.start && !first.start->group.empty()) {
    text += ", group " + std::string(first.start->group);
  }
  return text;
}

std::string region_text(const RunOfAllRanks& run) {
  if (!run.several_regions) {
    return std::string(run.region);
  }
  std::vector<std::string_view> regions;
  for (const RankRun* rank : run.ranks) {
    if (std::find(regions.begin(), regions.end(), rank->region) == regions.end() && regions.size() < 4) {
      regions.push_back(rank->region);
    }
  }
  return joined(regions, " / ", [](std::string_view region) { return std::string(region); });
}

std::string problem_label(const RunAnalysis& analysis, const ProblemName* problem) {
  if (analysis.problems.size() < 2) {
    return "";
  }
  const auto found = std::find_if(analysis.problems.begin(), analysis.problems.end(),
                                  [&](const ProblemResult& result) { return result.name == problem; });
  return "[" + std::to_string(found - analysis.problems.begin() + 1) + "] ";
}

std::string message_text(std::string_view message) {
  constexpr std::size_t longest_message = 1'000;
  return shorten(message, longest_message);
}

void note_left_out(Writer& out, std::size_t count, const std::string& singular, const std::string& plural) {
  if (count > 0) {
    out.paragraph("", count_text(count, singular, plural) + " left out; --whole-table shows them", Tone::dim);
  }
}

void write_details(Writer& out, const RunAnalysis& analysis, const Logs& logs, const ReportOptions& options) {
  out.begin_run(analysis);
  write_head(out, analysis);
  write_stops(out, analysis, logs);
  write_choices(out, analysis);
  write_rank_differences(out, analysis);
  write_texts(out, "Warnings", analysis.warnings);
  if (analysis.limit != nullptr) {
    write_texts(out, "Limit: how short the region could be", limit_texts(*analysis.limit));
  }
  out.plot_region(analysis);
  const std::size_t shown = std::min(out.limits().problems, analysis.problems.size());
  for (std::size_t i = 0; i < shown; ++i) {
    write_problem(out, analysis.problems[i], problem_label(analysis, analysis.problems[i].name));
  }
  note_left_out(out, analysis.problems.size() - shown, "kernel or key", "kernels and keys");
  write_searches(out, analysis, options);
  write_slowness(out, analysis, options);
  write_iterations(out, analysis, options);
  out.end_run();
}

}  // namespace contextual::log_report
