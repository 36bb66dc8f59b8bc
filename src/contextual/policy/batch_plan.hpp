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
    lead_in,    ///< the search runs an assignment for the first time after another one or after an exchange
    candidate,  ///< the search measures the assignment that the run before has led in
    best,       ///< the problem uses what is locked in, or the best so far
  };
  Role role = Role::best;
  std::size_t config_id = 0;  ///< the config that the problem's launches use
  int iteration = 0;    ///< for a step, counts the uses of the config; in the search, the runs of the trial
  bool warmup = false;  ///< true if its time does not count

  bool operator==(const Cell&) const = default;
};

/// One tuning iteration.
struct IterationPlan {
  Phase phase = Phase::walk;
  std::vector<Cell> cells;  ///< one for every problem, in problem order

  bool operator==(const IterationPlan&) const = default;
};

}  // namespace contextual::policy
