#pragma once

/// \file
/// The plan of a batch, made by the replicated state.

#include <contextual/phase.hpp>

#include <cstddef>
#include <vector>

namespace contextual::policy {

/// What one tuning problem is to do in one tuning iteration.
struct Cell {
  enum class Role {
    step,       ///< the walk tries a config
    candidate,  ///< a contest of the finals tries a config
    best,       ///< the problem uses what is locked in, or the best so far
  };
  Role role = Role::best;
  std::size_t config_id = 0;  ///< the config that the problem's launches use
  int iteration = 0;    ///< for a step, counts the uses of the config; for a candidate, the round; from 0
  bool warmup = false;  ///< true if its time does not count

  bool operator==(const Cell&) const = default;
};

/// One tuning iteration.
struct IterationPlan {
  Phase phase = Phase::walk;
  std::vector<Cell> cells;  ///< one for every problem, in problem order
};

}  // namespace contextual::policy
