#include "report/judging/defaults_comparison.hpp"

#include <algorithm>

namespace contextual::log_report {

std::optional<DefaultsComparison> compared_with_defaults(const std::vector<const Contest*>& contests) {
  const auto found = std::find_if(contests.rbegin(), contests.rend(), [](const Contest* contest) {
    return contest->kind == ContestKind::verdict && contest->entries.size() == 2;
  });
  if (found == contests.rend()) {
    return std::nullopt;
  }
  const ContestEntry& chosen = (*found)->entries[0];
  const ContestEntry& defaults = (*found)->entries[1];
  if (!chosen.makespan_ns || !defaults.makespan_ns || !defaults.gain_ns || *defaults.makespan_ns <= 0) {
    return std::nullopt;
  }
  DefaultsComparison comparison;
  comparison.chosen_ns = *chosen.makespan_ns;
  comparison.defaults_ns = *defaults.makespan_ns;
  comparison.change = *defaults.gain_ns / *defaults.makespan_ns;
  comparison.round_count = chosen.round_count;
  comparison.defaults_came_back = defaults.chosen;
  return comparison;
}

}  // namespace contextual::log_report
