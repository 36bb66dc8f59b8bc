#pragma once

/// \file
/// What was chosen for a region elsewhere, for example on another machine. Equal on all ranks.

#include "contextual/launch/problem_slot.hpp"

#include <contextual/config.hpp>
#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::agreement {

/// The config of one problem.
struct ChosenElsewhere {
  std::string kernel;  ///< or the coupling
  Key key;
  std::uint64_t scope = 0;
  std::size_t config_count = 1;  ///< of the config space as it was
  std::size_t config_id = 0;     ///< in it
  Config config;                 ///< empty if its parameters have no names
};

/// Configs that were chosen together.
using StartingPoint = std::vector<ChosenElsewhere>;

/// Returns the config that a starting point names for a problem, in today's config space, or nothing.
/// `parameters`: by config, null if some rank does not know them; the config is then known by its number.
std::optional<std::size_t> config_of(const StartingPoint& point, const detail::Problem& problem,
                                     const std::vector<Config>* parameters);

}  // namespace contextual::agreement
