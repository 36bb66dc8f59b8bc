#include "report/wording/contest_wording.hpp"

#include "report/format/quantities.hpp"

#include <optional>

namespace contextual::log_report {

std::string contest_title(const Contest& contest) {
  std::string title;
  if (contest.kind == ContestKind::sets) {
    title = "sets: the choices of the walk and other whole assignments";
  } else if (contest.kind == ContestKind::verdict) {
    title = "verdict: what was chosen against all defaults";
  } else if (contest.problem != nullptr) {
    title = name_of(*contest.problem) + ", the others fixed";
  } else {
    title = std::string(enum_text(contest.kind));
  }
  return title + (contest.pass > 0 ? ", pass " + std::to_string(contest.pass) : "");
}

EntryWords entry_words(const Contest& contest, const ContestEntry& entry) {
  const bool is_incumbent = &entry == &contest.entries.front();
  const std::optional<double> incumbent_ns = contest.entries.front().makespan_ns;
  EntryWords words;
  words.makespan = entry.makespan_ns ? duration_text(*entry.makespan_ns) : "no time";
  words.spread = entry.spread_ns ? duration_text(*entry.spread_ns) : "";
  if (entry.gain_ns) {
    words.gain = duration_text(*entry.gain_ns);
    words.gain_percent =
        incumbent_ns && *incumbent_ns > 0 ? percent_text(*entry.gain_ns / *incumbent_ns) : "";
  }
  words.role = std::string(is_incumbent ? "incumbent" : "") + (is_incumbent && entry.chosen ? ", " : "") +
               (entry.chosen ? "chosen" : "");
  return words;
}

}  // namespace contextual::log_report
