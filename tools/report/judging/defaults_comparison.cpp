#include "report/judging/defaults_comparison.hpp"

namespace contextual::log_report {

std::optional<DefaultsComparison> compared_with_defaults(const std::vector<SearchView>& searches) {
  if (searches.empty() || searches.back().result->reference != SearchReference::defaults) {
    return std::nullopt;
  }
  const SearchView& last = searches.back();
  const SearchResult& result = *last.result;
  if (!result.gain || !result.choice_makespan_ns || result.reference_makespan_ns.value_or(0) <= 0) {
    return std::nullopt;
  }
  DefaultsComparison comparison;
  comparison.chosen_ns = *result.choice_makespan_ns;
  comparison.defaults_ns = *result.reference_makespan_ns;
  comparison.change = change_of(*result.gain, result.gain_low, result.gain_high);
  comparison.round_count = result.round_count;
  comparison.defaults_came_back = !last.choice.empty() && last.choice == result.reference_config_ids;
  return comparison;
}

}  // namespace contextual::log_report
