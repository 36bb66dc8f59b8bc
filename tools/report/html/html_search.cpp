#include "report/html/html_search.hpp"

#include "report/format/quantities.hpp"
#include "report/html/html_blocks.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/wording/contest_wording.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t contests_on_page = 200;

std::string contest_markup(const Contest& contest) {
  HtmlTable table({{"Candidate"},
                   {"Rounds", Cells::number},
                   {"Region's time", Cells::number},
                   {"Spread", Cells::number},
                   {"Saves", Cells::number},
                   {"", Cells::number},
                   {""}});
  for (const ContestEntry& entry : contest.entries) {
    const EntryWords words = entry_words(contest, entry);
    table.add(
        {std::string(entry.name), std::to_string(entry.round_count), words.makespan,
         words.spread.empty() ? "" : "\u00b1 " + words.spread, words.gain, words.gain_percent, words.role},
        entry.chosen ? "chosen" : "");
  }
  return element("h3", escaped(contest_title(contest))) + "\n" + table.markup() +
         paragraph("Why: " + std::string(contest.reason));
}

}  // namespace

std::string search_markup(const RunAnalysis& analysis, const ReportOptions& options) {
  const std::size_t limit = options.limit(contests_on_page);
  std::string markup;
  std::size_t written = 0;
  for (const Contest* contest : analysis.contests) {
    if (!contest->entries.empty() && written++ < limit) {
      markup += contest_markup(*contest);
    }
  }
  if (written == 0) {
    return "";
  }
  if (written > limit) {
    markup += left_out_note(written - limit, "contest");
  }
  return folded(std::string(search_title) + " (" + std::to_string(written) + ")", markup, Fold::closed);
}

}  // namespace contextual::log_report
