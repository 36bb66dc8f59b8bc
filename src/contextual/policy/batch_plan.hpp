#pragma once

/// \file
/// What a batch is to do, as the replicated state plans it.

#include <contextual/phase.hpp>

#include <cstddef>
#include <vector>

namespace contextual::policy {

/// What one tuning problem does in one tuning iteration.
struct Cell {
  enum class Role {
    step,       ///< the walk tries a config
    candidate,  ///< a contest of the finals tries a config
    best,       ///< the problem uses what is locked in, or the best so far
  };
  Role role = Role::best;
  std::size_t config_id = 0;  ///< what the problem's launches use
  int iteration = 0;          ///< of a step, which use of its config it is; of a candidate, the round; from 0
  bool warmup = false;        ///< its time does not count

  bool operator==(const Cell&) const = default;
};

/// One tuning iteration.
struct IterationPlan {
  Phase phase = Phase::walk;
  std::vector<Cell> cells;  ///< one for every problem, in problem order
};

}  // namespace contextual::policy
