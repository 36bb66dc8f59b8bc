#pragma once

/// \file
/// Selects the winning config, with regard to noise. Pure.

#include "contextual/policy/reason.hpp"
#include "contextual/policy/statistics.hpp"

#include <cstddef>
#include <optional>
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
  Reason reason;
};

/// Selects the config with the fastest centre. If others tie with it, the default (config 0) wins, else the
/// lowest index among them. One that is erratic, because its samples spread far more than is usual for those
/// that tie, is neither the fastest nor wins by its index. `is_tie` decides ties, with more errors for a
/// default that is less than 5 % slower; `tie_margin` is relative to the fastest centre. Returns nothing if
/// `entrants` is empty.
std::optional<Selection> select(const std::vector<Entrant>& entrants, double tie_margin);

}  // namespace contextual::policy
