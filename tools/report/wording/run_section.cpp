#include "report/wording/sections.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::log_report {
namespace {

/// Without its sign, but for a minus.
std::string share_text(double share) {
  const std::string text = percent_text(share);
  return text.front() == '+' ? text.substr(1) : text;
}

std::string never_met_text(const RunOfAllRanks& run) {
  if (run.met || run.rank_count == 1) {
    return "";
  }
  return run.ranks.size() > 1 ? "These ranks never met: joined by region, number of ranks and start"
                              : "This rank never met the others";
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
               {"own time to the longest", Align::right}}};
  for (const Slowness& slowness : analysis.slowness) {
    std::string name = slowness.problem == nullptr
                           ? "the region"
                           : problem_label(analysis, slowness.problem) + name_of(*slowness.problem);
    std::string iterations = std::to_string(slowness.iterations);
    const std::size_t shown = std::min(slowness.ranks.size(), options.limit(slow_ranks_shown));
    for (std::size_t i = 0; i < shown; ++i) {  // the name stands in the first row
      const RankShare& share = slowness.ranks[i];
      table.add({std::exchange(name, ""), std::exchange(iterations, ""), std::to_string(share.rank),
                 share_text(share.slowest_share), percent_text(share.median_ratio - 1)});
    }
    if (shown < slowness.ranks.size()) {
      table.add({"", "", "...", "", count_text(slowness.ranks.size() - shown, "rank") + " more"});
    }
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
               {"", Align::right},
               {},
               {}}};
  for (const ProblemResult& problem : analysis.problems) {
    if (problem.choice() != nullptr) {
      table.add(choice_cells(problem, *problem.choice()));
    }
  }
  if (!table.rows.empty()) {
    out.heading("Choices: kernel, key, config, own time in the chosen set, to that with all defaults");
    out.table(table);
  }
}

void write_warnings(Writer& out, const RunAnalysis& analysis) {
  if (!analysis.warnings.empty()) {
    out.heading("Warnings");
  }
  for (const std::string& text : analysis.warnings) {
    out.paragraph("", message_text(text));
  }
}

}  // namespace

void write_limit(Writer& out, const Limit& limit) {
  out.heading("Limit: how short the region could be, by its parts alone, in " +
              count_text(limit.round_count, "round") + " in turn with the whole region");
  Table table{{{.room = Room::gives_way}, {"", Align::right}, {}}};
  const auto add = [&](const std::string& what, std::optional<double> time_ns, const std::string& note = "") {
    table.add({what, time_ns ? duration_text(*time_ns) : "no time", note});
  };
  std::optional<double> sum_ns = 0;
  for (const PartTime& part : limit.parts) {
    add(std::string(part.name), part.makespan_ns,
        limit.limit_ns && limit.limit_ns == part.makespan_ns ? "the limit" : "");
    sum_ns = sum_ns && part.makespan_ns ? std::optional(*sum_ns + *part.makespan_ns) : std::nullopt;
  }
  add("one after the other", sum_ns);
  const bool known = limit.limit_ns && limit.result_ns;
  add("the region", limit.result_ns,
      known ? percent_text(*limit.result_ns / *limit.limit_ns - 1) + " to the limit" : "");
  out.table(table);
  out.paragraph("hidden",
                !known ? "not known: the timer has no time of the region or of a part"
                : limit.hidden
                    ? share_text(*limit.hidden) +
                          " of what the other parts take is hidden behind the longest one; 100 % is "
                          "the limit, and 0 % is one part after the other"
                    : "nothing can be hidden, because the longest part takes as long as all of them");
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
  write_warnings(out, analysis);
  if (analysis.limit != nullptr) {
    write_limit(out, *analysis.limit);
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
