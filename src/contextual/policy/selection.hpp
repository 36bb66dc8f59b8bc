#pragma once

/// \file
/// Which config wins, noise taken into account. Pure.

#include "contextual/policy/statistics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

struct Entrant {
  std::size_t config_id = 0;
  Summary summary;
};

struct Selection {
  std::size_t config_id = 0;
  std::string reason;  ///< for the log: "fastest by own time, 12.3 % over the default", "tie with config-3:
                       ///< the default wins", ...
};

/// By how much `slower` may be slower than `faster` to tie with it: the larger of `tie_margin` (relative) and
/// twice the combined standard error.
double noise_ns(const Summary& slower, const Summary& faster, double tie_margin);

/// The fastest centre, except that everything within the noise of it is a tie: then the default (config 0)
/// wins, then the lowest index. Empty when `entrants` is.
std::optional<Selection> select(const std::vector<Entrant>& entrants, double tie_margin);

}  // namespace contextual::policy
