#include "report/format/quantities.hpp"
#include "report/text/text_sections.hpp"
#include "report/wording/run_wording.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t ranks_in_text = 8;

void add_slowness(TextTable& table, const Slowness& slowness, const std::string& name,
                  const ReportOptions& options) {
  std::size_t written = 0;
  for (const RankShare& share : slowness.ranks) {
    if (written++ == options.limit(ranks_in_text)) {
      table.add({"", "", "...", "", count_text(slowness.ranks.size() - ranks_in_text, "rank") + " more"});
      return;
    }
    const bool first = written == 1;
    table.add({first ? name : "", first ? std::to_string(slowness.iterations) : "",
               std::to_string(share.rank), share_text(share.slowest_share),
               percent_text(share.median_ratio - 1)});
  }
}

}  // namespace

void write_rank_differences(TextWriter& out, const RunAnalysis& analysis) {
  const RankComparison& comparison = analysis.comparison;
  if (!comparison.disagreements.empty()) {
    out.heading("Ranks disagree");
    for (const Disagreement& difference : comparison.disagreements) {
      out.paragraph("  ", difference.what + ": " + difference.text, Colour::bad, 6);
    }
  }
}

void write_slowness(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.slowness.empty()) {
    return;
  }
  out.heading("Slowest rank: share of the iterations in which a rank's own time was the longest");
  TextTable table({{.min_width = 20},
                   {"iterations", Align::right},
                   {"rank", Align::right},
                   {"slowest", Align::right},
                   {"own time to the agreed one", Align::right}});
  for (const Slowness& slowness : analysis.slowness) {
    add_slowness(table, slowness,
                 slowness.problem == nullptr
                     ? "the region"
                     : problem_label(analysis, slowness.problem) + name_of(*slowness.problem),
                 options);
  }
  out.table(table, 2);
}

}  // namespace contextual::log_report
