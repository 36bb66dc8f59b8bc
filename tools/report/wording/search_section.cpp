#include "report/wording/run_wording.hpp"
#include "report/wording/search_wording.hpp"
#include "report/wording/sections.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

void write_measured(Writer& out, const SearchView& search) {
  Table table{{{"measured", Align::left, Room::gives_way},
               {"samples", Align::right},
               {"region's time", Align::right},
               {"spread", Align::right},
               {"to choice", Align::right},
               {"", Align::left, Room::gives_way}}};
  const std::vector<std::size_t> shown = measured_shown(search, out.limits().sets);
  for (const std::size_t i : shown) {
    const MeasuredView& each = search.measured[i];
    const MeasuredWords words = measured_words(each);
    table.add(
        {set_text(search, each.config_ids()), words.samples, words.makespan,
         words.spread.empty() ? "" : "+- " + words.spread, words.to_choice, standing_text(search, each)},
        each.measured->standing == Standing::choice ? Tone::good : Tone::none);
  }
  out.table(table, "All measured sets");
  note_left_out(out, search.measured.size() - shown.size(), "longer set");
}

void write_infeasible(Writer& out, const SearchView& search) {
  const std::size_t shown = std::min(out.limits().infeasible, search.infeasible.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const InfeasibleAssignment& each = *search.infeasible[i];
    out.paragraph("infeasible", set_text(search, each.config_ids) + ": " + message_text(each.reason));
  }
  note_left_out(out, search.infeasible.size() - shown, "infeasible set");
}

}  // namespace

void write_searches(Writer& out, const RunAnalysis& analysis) {
  if (analysis.searches.empty()) {
    return;
  }
  const std::size_t count = analysis.searches.size();
  const std::size_t shown = std::min(out.limits().searches, count);
  for (std::size_t i = count - shown; i < count; ++i) {
    const SearchView& search = analysis.searches[i];
    out.heading("Search: sets of configs, compared by the region's time");
    for (const SearchFact& fact : search_facts(search)) {
      out.paragraph(fact.label, fact.text);
    }
    out.plot(search);
    write_measured(out, search);
    write_infeasible(out, search);
  }
  note_left_out(out, count - shown, "earlier search", "earlier searches");
}

}  // namespace contextual::log_report
