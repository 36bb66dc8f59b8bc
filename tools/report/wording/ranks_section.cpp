#include "report/format/quantities.hpp"
#include "report/wording/run_wording.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

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

}  // namespace

void write_rank_differences(Writer& out, const RunAnalysis& analysis) {
  const RankComparison& comparison = analysis.comparison;
  if (!comparison.disagreements.empty()) {
    out.heading("Ranks disagree");
    for (const Disagreement& difference : comparison.disagreements) {
      out.paragraph(difference.what, difference.text, Tone::bad);
    }
  }
}

void write_slowness(Writer& out, const RunAnalysis& analysis) {
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
                 out.limits().ranks);
  }
  out.table(table);
}

}  // namespace contextual::log_report
