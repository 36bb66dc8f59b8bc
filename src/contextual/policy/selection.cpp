#include "contextual/policy/selection.hpp"

#include "contextual/policy/text.hpp"
#include "contextual/policy/tie.hpp"

#include <algorithm>

namespace contextual::policy {
namespace {

const Entrant& fastest_of(const std::vector<Entrant>& entrants) {
  return *std::min_element(entrants.begin(), entrants.end(), [](const Entrant& a, const Entrant& b) {
    return a.summary.centre_ns != b.summary.centre_ns ? a.summary.centre_ns < b.summary.centre_ns
                                                      : a.config_id < b.config_id;
  });
}

std::string why_fastest(const Entrant& fastest, const std::vector<Entrant>& entrants) {
  if (entrants.size() == 1) {
    return "the only config with times";
  }
  if (fastest.config_id == 0) {
    return "the default is the fastest by own time";
  }
  const auto standard = std::find_if(entrants.begin(), entrants.end(),
                                     [](const Entrant& entrant) { return entrant.config_id == 0; });
  if (standard == entrants.end()) {
    return "fastest by own time, the default has no times";
  }
  return "fastest by own time, " + percent(1 - fastest.summary.centre_ns / standard->summary.centre_ns) +
         " shorter than the default";
}

}  // namespace

std::optional<Selection> select(const std::vector<Entrant>& entrants, double tie_margin) {
  if (entrants.empty()) {
    return std::nullopt;
  }
  const Entrant& fastest = fastest_of(entrants);
  const Entrant* winner = &fastest;
  for (const Entrant& entrant : entrants) {
    if (entrant.config_id < winner->config_id &&
        is_tie(compare(entrant.summary, fastest.summary), tie_margin * fastest.summary.centre_ns)) {
      winner = &entrant;  // the default is config 0, so the lowest index is the whole rule
    }
  }
  if (winner == &fastest) {
    return Selection{fastest.config_id, why_fastest(fastest, entrants)};
  }
  return Selection{winner->config_id,
                   "tie with " + config_name(fastest.config_id) +
                       (winner->config_id == 0 ? ": the default wins" : ": the lower index wins")};
}

}  // namespace contextual::policy
