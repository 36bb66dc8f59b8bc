#pragma once

/// \file
/// What was chosen for a region elsewhere, for example on another machine. Equal on all ranks.

#include "contextual/launch/problem_slot.hpp"
#include "contextual/storage/choice_set.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace contextual::agreement {

/// Configs that were chosen together.
using StartingPoint = std::vector<storage::KeptChoice>;

/// Returns the config that a starting point names for a problem, in today's config space, or nothing.
/// `parameters`: by config, null if some rank does not know them; the config is then known by its number.
std::optional<std::size_t> config_of(const StartingPoint& point, const detail::Problem& problem,
                                     const std::vector<Config>* parameters);

}  // namespace contextual::agreement
