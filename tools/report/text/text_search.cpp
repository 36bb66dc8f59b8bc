#include "report/text/text_search.hpp"

#include "report/format/quantities.hpp"
#include "report/wording/contest_wording.hpp"

namespace contextual::log_report {
namespace {

constexpr std::size_t contests_in_text = 40;

void write_contest(TextWriter& out, const Contest& contest) {
  out.paragraph("  ", contest_title(contest));
  TextTable table({{"", Align::left, 8},
                   {"rounds", Align::right},
                   {"region's time", Align::right},
                   {"spread", Align::right},
                   {"saves", Align::right},
                   {"", Align::right},
                   {""}});
  for (const ContestEntry& entry : contest.entries) {
    const EntryWords words = entry_words(contest, entry);
    table.add({std::string(entry.name), std::to_string(entry.round_count), words.makespan,
               words.spread.empty() ? "" : "+- " + words.spread, words.gain, words.gain_percent, words.role},
              entry.chosen ? Colour::good : Colour::none);
  }
  out.table(table, 4);
  out.paragraph("    why: ", std::string(contest.reason), Colour::none, 4);
}

}  // namespace

void write_search(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.contests.empty()) {
    return;
  }
  out.heading(search_title);
  std::size_t written = 0;
  for (const Contest* contest : analysis.contests) {
    if (!contest->entries.empty() && written++ < options.limit(contests_in_text)) {
      write_contest(out, *contest);
    }
  }
  if (written > options.limit(contests_in_text)) {
    out.line("  " + count_text(written - contests_in_text, "contest") +
             " left out; --whole-table shows them");
  }
}

}  // namespace contextual::log_report
