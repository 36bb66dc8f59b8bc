#include "contextual/policy/selection.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <iterator>

namespace contextual::policy {
namespace {

const Entrant& fastest_of(const std::vector<Entrant>& entrants) {
  return *std::min_element(entrants.begin(), entrants.end(), [](const Entrant& a, const Entrant& b) {
    return a.summary.centre_ns != b.summary.centre_ns ? a.summary.centre_ns < b.summary.centre_ns
                                                      : a.config_id < b.config_id;
  });
}

Reason why_fastest(const Entrant& fastest, const std::vector<Entrant>& entrants) {
  if (entrants.size() == 1) {
    return Why::only_measured;
  }
  if (fastest.config_id == 0) {
    return Why::fastest_is_default;
  }
  const auto standard = std::find_if(entrants.begin(), entrants.end(),
                                     [](const Entrant& entrant) { return entrant.config_id == 0; });
  if (standard == entrants.end()) {
    return Why::fastest_without_default;
  }
  return Reason({.why = Why::fastest, .gain = {1 - fastest.summary.centre_ns / standard->summary.centre_ns}});
}

/// The spread of a few samples is known badly, and that of fewer than three not at all.
bool knows_spread(const Entrant& entrant) {
  return entrant.summary.count >= 3;
}

/// Returns the usual spread of entrants that tie with the fastest: the median, and of two the smaller one.
double usual_spread_ns(const std::vector<Entrant>& tied) {
  std::vector<double> spreads;
  for (const Entrant& entrant : tied) {
    if (knows_spread(entrant)) {
      spreads.push_back(entrant.summary.spread_ns);
    }
  }
  std::sort(spreads.begin(), spreads.end());
  return spreads.empty() ? 0 : spreads[(spreads.size() - 1) / 2];
}

/// Returns true if its samples spread far more than is usual: its time is not known well enough to win, be it
/// by its index or by a lucky centre.
bool is_erratic(const Entrant& entrant, double usual_ns, double tie_margin) {
  constexpr double far = 4;       // equal noise seldom looks so different in five samples
  constexpr double margins = 20;  // less is the noise of a busy host
  const double steady_ns = std::max(far * usual_ns, margins * tie_margin * entrant.summary.centre_ns);
  return knows_spread(entrant) && entrant.summary.spread_ns > steady_ns;
}

}  // namespace

std::optional<Selection> select(const std::vector<Entrant>& entrants, double tie_margin) {
  if (entrants.empty()) {
    return std::nullopt;
  }
  const auto tied_with = [&](const Entrant& fastest) {
    constexpr double errors_of_default = 4;  // a few samples know the error badly
    constexpr double noticeable = 0.05;
    std::vector<Entrant> tied;
    std::copy_if(entrants.begin(), entrants.end(), std::back_inserter(tied), [&](const Entrant& entrant) {
      const double fastest_ns = fastest.summary.centre_ns;
      const Comparison comparison = compare(entrant.summary, fastest.summary);
      const bool near_default = entrant.config_id == 0 && comparison.slower_by_ns < noticeable * fastest_ns;
      return is_tie(comparison, tie_margin * fastest_ns, near_default ? errors_of_default : errors_of_ties);
    });
    return tied;
  };
  std::vector<Entrant> steady = tied_with(fastest_of(entrants));
  const double usual_ns = usual_spread_ns(steady);
  const auto erratic = [&](const Entrant& entrant) { return is_erratic(entrant, usual_ns, tie_margin); };
  const auto first_erratic = std::find_if(steady.begin(), steady.end(), erratic);
  const Reason set_aside = first_erratic == steady.end()
                               ? Reason()
                               : Reason({.why = Why::erratic, .config_id = first_erratic->config_id});
  std::erase_if(steady, erratic);
  const Entrant& fastest = fastest_of(steady);
  std::vector<Entrant> tied = tied_with(fastest);
  std::erase_if(tied, [&](const Entrant& entrant) { return entrant.config_id != 0 && erratic(entrant); });
  const Entrant& winner =  // the default is config 0
      *std::min_element(tied.begin(), tied.end(),
                        [](const Entrant& a, const Entrant& b) { return a.config_id < b.config_id; });
  if (winner.config_id == fastest.config_id) {
    return Selection{fastest.config_id, why_fastest(fastest, entrants) + set_aside};
  }
  if (winner.config_id == 0) {
    return Selection{0, Reason({.why = Why::tie_goes_to_default, .config_id = fastest.config_id})};
  }
  return Selection{winner.config_id,
                   Reason({.why = Why::tie_goes_to_lower_index, .config_id = fastest.config_id}) + set_aside};
}

}  // namespace contextual::policy
