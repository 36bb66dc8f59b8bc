#include "report/format/quantities.hpp"
#include "report/text/text_sections.hpp"
#include "report/wording/search_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t searches_in_text = 10;
constexpr std::size_t sets_in_text = 16;
constexpr std::size_t infeasible_in_text = 4;

void write_left_out(TextWriter& out, std::size_t count, const std::string& what) {
  if (count > 0) {
    out.line("    " + count_text(count, what) + " left out; --whole-table shows them");
  }
}

void write_measured(TextWriter& out, const SearchView& search, const ReportOptions& options) {
  TextTable table({{"measured", Align::left, true},
                   {"samples", Align::right},
                   {"region's time", Align::right},
                   {"spread", Align::right},
                   {"to choice", Align::right},
                   {"", Align::left, true}});
  const std::vector<std::size_t> shown = measured_shown(search, options.limit(sets_in_text));
  for (const std::size_t i : shown) {
    const MeasuredView& each = search.measured[i];
    const MeasuredWords words = measured_words(each);
    table.add(
        {set_text(search, each.config_ids()), words.samples, words.makespan,
         words.spread.empty() ? "" : "+- " + words.spread, words.to_choice, standing_text(search, each)},
        each.measured->standing == Standing::choice ? Colour::good : Colour::none);
  }
  if (!table.empty()) {
    out.table(table, 4);
  }
  write_left_out(out, search.measured.size() - shown.size(), "longer set");
}

void write_infeasible(TextWriter& out, const SearchView& search, const ReportOptions& options) {
  const std::size_t shown = std::min(options.limit(infeasible_in_text), search.infeasible.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const InfeasibleAssignment& each = *search.infeasible[i];
    out.paragraph("    infeasible: ", set_text(search, each.config_ids) + ": " + std::string(each.reason),
                  Colour::none, 12);
  }
  write_left_out(out, search.infeasible.size() - shown, "infeasible set");
}

}  // namespace

void write_search(TextWriter& out, const RunAnalysis& analysis, const ReportOptions& options) {
  if (analysis.searches.empty()) {
    return;
  }
  out.heading(search_title);
  const std::size_t count = analysis.searches.size();
  const std::size_t shown = std::min(options.limit(searches_in_text), count);
  write_left_out(out, count - shown, "earlier search");
  for (std::size_t i = count - shown; i < count; ++i) {
    const SearchView& search = analysis.searches[i];
    if (i > count - shown) {
      out.blank();
    }
    for (const SearchFact& fact : search_facts(search)) {
      out.paragraph("  " + fact.label + ": ", fact.text);
    }
    write_measured(out, search, options);
    write_infeasible(out, search, options);
  }
}

}  // namespace contextual::log_report
