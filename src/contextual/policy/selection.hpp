#pragma once

/// \file
/// Which config wins, noise taken into account. Pure.

#include "contextual/policy/statistics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// A config that may win.
struct Entrant {
  std::size_t config_id = 0;
  Summary summary;  ///< of its samples
};

/// The config that won.
struct Selection {
  std::size_t config_id = 0;
  std::string reason;  ///< for the log, such as "tie with config-3: the default wins"
};

/// The fastest centre, except that of those that tie with it the default (config 0) wins, then the lowest
/// index. `tie_margin` is relative to the fastest centre; `is_tie` has the rule. Empty when `entrants` is.
std::optional<Selection> select(const std::vector<Entrant>& entrants, double tie_margin);

}  // namespace contextual::policy
