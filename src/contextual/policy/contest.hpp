#pragma once

/// \file
/// The results of the contests of the finals, for logs and reports.

#include "contextual/policy/statistics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// One candidate of a contest.
struct Contender {
  std::size_t config_id = 0;  ///< a config of the problem, or the number of a set: see Contest::Kind
  Summary makespan;           ///< of the rounds that count
  /// The incumbent's makespan minus this one's, paired by round. Empty for the incumbent itself.
  std::optional<Summary> gain;
  bool chosen = false;
};

/// A comparison of one problem's candidates while all other problems stay fixed, or of whole sets of configs.
struct Contest {
  enum class Kind {
    sets,     ///< first: 0 is the walk's choices, 1 all defaults, 2 every problem's best by makespan
    problem,  ///< one problem's candidates
    verdict,  ///< last: 0 is all defaults, 1 the chosen set
  };
  Kind kind = Kind::problem;
  std::size_t problem = 0;            ///< only if `kind` is `problem`
  int pass = 0;                       ///< only if `kind` is `problem`; from 0
  std::vector<Contender> contenders;  ///< the incumbent first
  std::string reason;                 ///< why the chosen one was chosen
};

}  // namespace contextual::policy
