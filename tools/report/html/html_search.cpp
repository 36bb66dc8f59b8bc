#include "report/format/quantities.hpp"
#include "report/html/html_blocks.hpp"
#include "report/html/html_sections.hpp"
#include "report/html/html_table.hpp"
#include "report/html/html_text.hpp"
#include "report/html/plots.hpp"
#include "report/wording/search_wording.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

constexpr std::size_t searches_on_page = 20;
constexpr std::size_t sets_on_page = 200;

std::string facts_markup(const SearchView& search) {
  std::string markup;
  for (const SearchFact& fact : search_facts(search)) {
    markup += element("p", element("strong", escaped(fact.label) + ":") + " " + escaped(fact.text)) + "\n";
  }
  return markup;
}

std::string measured_markup(const SearchView& search, const ReportOptions& options) {
  HtmlTable table({{"Configs", Cells::wide},
                   {"Samples", Cells::number},
                   {"Region's time", Cells::number},
                   {"Spread", Cells::number},
                   {"To choice", Cells::number},
                   {"", Cells::wide}});
  const std::vector<std::size_t> shown = measured_shown(search, options.limit(sets_on_page));
  for (const std::size_t i : shown) {
    const MeasuredView& each = search.measured[i];
    const MeasuredWords words = measured_words(each);
    table.add(
        {set_text(search, each.config_ids()), words.samples, words.makespan,
         words.spread.empty() ? "" : "\u00b1 " + words.spread, words.to_choice, standing_text(search, each)},
        each.measured->standing == Standing::choice ? "chosen" : "");
  }
  const std::size_t infeasible = std::min(options.limit(sets_on_page), search.infeasible.size());
  for (std::size_t i = 0; i < infeasible; ++i) {
    const InfeasibleAssignment& each = *search.infeasible[i];
    table.add({set_text(search, each.config_ids), "", "", "", "", infeasible_text(each)});
  }
  if (table.empty()) {
    return "";
  }
  const std::size_t left_out = search.measured.size() - shown.size() + search.infeasible.size() - infeasible;
  return folded("All measured and infeasible sets",
                table.markup() + (left_out > 0 ? left_out_note(left_out, "set") : ""), Fold::closed);
}

}  // namespace

std::string search_markup(const RunAnalysis& analysis, const ReportOptions& options) {
  const std::size_t count = analysis.searches.size();
  const std::size_t shown = std::min(options.limit(searches_on_page), count);
  std::string markup;
  for (std::size_t i = count - shown; i < count; ++i) {
    const SearchView& search = analysis.searches[i];
    markup += facts_markup(search) + search_map(search) + measured_markup(search, options);
  }
  if (markup.empty()) {
    return "";
  }
  if (shown < count) {
    markup += left_out_note(count - shown, "earlier search");
  }
  return element("h3", escaped(search_title)) + "\n" + markup;
}

}  // namespace contextual::log_report
