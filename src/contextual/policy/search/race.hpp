#pragma once

/// \file
/// The last part of a search: what may be the best of what has been run is measured in turn until one of them
/// is likely enough to be it.

#include "contextual/policy/search/belief.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <vector>

namespace contextual::policy::search {

/// Returns the visits of the next round of a race: the shortest and the second of draws in turn, among what
/// has been run and is feasible. So the most likely one is visited as often as its rivals together, each of
/// these as often as it is likely to be the better one, and what is hardly ever the shortest not at all
/// (Russo, "Simple Bayesian algorithms for best-arm identification", 2016).
///
/// What has not been run has no place in a race. So little is known of it that some of it is the shortest of
/// all in nearly every draw, and it would take the places of what has proved short.
std::vector<Assignment> race_round(Belief& belief);

/// Returns true if what is the shortest in most draws is not likely to be longer than another one by
/// `min_gain`, relatively, with a confidence of 95 %.
bool race_is_decided(Belief& belief, double min_gain);

}  // namespace contextual::policy::search
