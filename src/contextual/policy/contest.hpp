#pragma once

/// \file
/// What the contests of the finals brought, for logs and reports.

#include "contextual/policy/statistics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// One candidate of a contest.
struct Contender {
  std::size_t config_id = 0;  ///< of one problem's candidate; else which set it is, see Contest::Kind
  Summary makespan;           ///< of the rounds that count
  /// Paired with the incumbent: its makespan minus this one's. Empty for the incumbent itself.
  std::optional<Summary> gain;
  bool chosen = false;
};

/// A comparison of one problem's candidates with the others fixed, or of whole sets.
struct Contest {
  enum class Kind {
    sets,     ///< first: 0 is the walk's choices, 1 all defaults, 2 every problem's best by makespan
    problem,  ///< one problem's candidates
    verdict,  ///< last: 0 is all defaults, 1 the chosen set
  };
  Kind kind = Kind::problem;
  std::size_t problem = 0;            ///< of one problem's candidates
  int pass = 0;                       ///< of one problem's candidates, from 0
  std::vector<Contender> contenders;  ///< the incumbent first
  std::string reason;                 ///< why the chosen one was chosen
};

}  // namespace contextual::policy
