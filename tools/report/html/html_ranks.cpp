#include "report/format/quantities.hpp"
#include "report/html/html_blocks.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/wording/run_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t ranks_on_page = 16;

void add_slowness(HtmlTable& table, const Slowness& slowness, const std::string& name) {
  for (std::size_t i = 0; i < std::min(slowness.ranks.size(), ranks_on_page); ++i) {
    const RankShare& share = slowness.ranks[i];
    table.add({i == 0 ? name : "", i == 0 ? std::to_string(slowness.iterations) : "",
               std::to_string(share.rank), share_text(share.slowest_share),
               percent_text(share.median_ratio - 1)});
  }
  if (slowness.ranks.size() > ranks_on_page) {
    table.add({"", "", "...", "", count_text(slowness.ranks.size() - ranks_on_page, "rank") + " more"});
  }
}

}  // namespace

std::string rank_differences_markup(const RunAnalysis& analysis) {
  const RankComparison& comparison = analysis.comparison;
  std::string markup;
  if (!comparison.disagreements.empty()) {
    std::string items;
    for (const Disagreement& difference : comparison.disagreements) {
      items += paragraph(difference.what + ": " + difference.text);
    }
    markup += element("h3", "Ranks disagree") + element("div", items, "class=\"alarm\"") + "\n";
  }
  return markup;
}

std::string slowness_markup(const RunAnalysis& analysis) {
  if (analysis.slowness.empty()) {
    return "";
  }
  HtmlTable table({{""},
                   {"Iterations", Cells::number},
                   {"Rank", Cells::number},
                   {"Slowest", Cells::number},
                   {"Own time to the agreed one", Cells::number}});
  for (const Slowness& slowness : analysis.slowness) {
    add_slowness(table, slowness,
                 slowness.problem == nullptr
                     ? "the region"
                     : problem_label(analysis, slowness.problem) + name_of(*slowness.problem));
  }
  return folded("Slowest rank: share of the iterations in which a rank's own time was the longest",
                table.markup(), Fold::open);
}

}  // namespace contextual::log_report
