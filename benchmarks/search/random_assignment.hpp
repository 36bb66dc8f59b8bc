#pragma once

/// \file
/// Draws assignments at random.

#include "search/random_numbers.hpp"

#include <contextual/search.hpp>

namespace search_replay {

/// Returns an assignment of candidates, each equally likely. Every problem must have one.
contextual::Assignment random_assignment(const contextual::SearchRequest& request, RandomNumbers& random);

}  // namespace search_replay
