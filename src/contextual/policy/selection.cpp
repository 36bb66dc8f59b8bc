#include "contextual/policy/selection.hpp"

#include "contextual/policy/text.hpp"
#include "contextual/policy/tie.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

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

/// Returns true if it is far noisier than the steadiest of those that tie with the fastest: its time is not
/// known well enough to win, be it by its index or by a lucky centre.
bool is_erratic(const Summary& summary, double least_spread_ns, double tie_margin) {
  constexpr double far = 3;       // as for the assignments of a search
  constexpr double margins = 10;  // less is the usual noise of a busy host
  return summary.spread_ns > std::max(far * least_spread_ns, margins * tie_margin * summary.centre_ns);
}

}  // namespace

std::optional<Selection> select(const std::vector<Entrant>& entrants, double tie_margin) {
  if (entrants.empty()) {
    return std::nullopt;
  }
  const auto tied_with = [&](const Entrant& fastest) {
    std::vector<Entrant> tied;
    std::copy_if(entrants.begin(), entrants.end(), std::back_inserter(tied), [&](const Entrant& entrant) {
      return is_tie(compare(entrant.summary, fastest.summary), tie_margin * fastest.summary.centre_ns);
    });
    return tied;
  };
  std::vector<Entrant> steady = tied_with(fastest_of(entrants));
  const double least_spread_ns =
      std::min_element(steady.begin(), steady.end(), [](const auto& a, const auto& b) {
        return a.summary.spread_ns < b.summary.spread_ns;
      })->summary.spread_ns;
  const auto erratic = [&](const Entrant& entrant) {
    return is_erratic(entrant.summary, least_spread_ns, tie_margin);
  };
  std::erase_if(steady, erratic);
  const Entrant& fastest = fastest_of(steady);
  const std::vector<Entrant> tied = tied_with(fastest);
  const Entrant& winner =
      *std::min_element(tied.begin(), tied.end(), [&](const Entrant& a, const Entrant& b) {
        return std::pair(a.config_id != 0 && erratic(a), a.config_id) <
               std::pair(b.config_id != 0 && erratic(b), b.config_id);  // the default is config 0
      });
  if (winner.config_id == fastest.config_id) {
    return Selection{fastest.config_id, why_fastest(fastest, entrants)};
  }
  return Selection{winner.config_id,
                   "tie with " + config_name(fastest.config_id) +
                       (winner.config_id == 0 ? ": the default wins" : ": the lower index wins")};
}

}  // namespace contextual::policy
