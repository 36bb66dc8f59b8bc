#pragma once

/// \file
/// A region made of plain functions: from an assignment to own times and a makespan. Drives a policy the
/// way the tuner does, and keeps the table of what was planned.

#include "contextual/policy/tuning_state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy::test {

struct ModelRegion {
  std::function<std::int64_t(std::size_t problem, const Assignment&)> time_ns;
  std::function<std::int64_t(const Assignment&)> makespan_ns;
};

inline Assignment assignment_of(const IterationPlan& plan) {
  Assignment assignment;
  for (const Cell& cell : plan.cells) {
    assignment.push_back(cell.config_id);
  }
  return assignment;
}

inline IterationOutcome run_region(const ModelRegion& region, const Assignment& assignment) {
  IterationOutcome outcome;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    outcome.cells.push_back({true, region.time_ns(p, assignment)});
  }
  outcome.makespan_ns = region.makespan_ns(assignment);
  return outcome;
}

inline std::string cell_text(const Cell& cell) {
  switch (cell.role) {
    case Cell::Role::step:
      return "config-" + std::to_string(cell.config_id) + " (iter-" + std::to_string(cell.iteration) + ")";
    case Cell::Role::lead_in:
      return "lead-in-" + std::to_string(cell.config_id);
    case Cell::Role::candidate:
      return "candidate-" + std::to_string(cell.config_id);
    default:
      return "best-config";
  }
}

/// One line of the documented table: "0 | config-0 (iter-0) | config-0 (iter-0)".
inline std::string row_text(std::int64_t iteration, const std::vector<Cell>& cells) {
  std::string row = std::to_string(iteration);
  for (const Cell& cell : cells) {
    row += " | " + cell_text(cell);
  }
  return row;
}

/// Problems of these config counts are discovered in the first batch, as in a real run. No batch is longer
/// than `longest`. Returns the table; the state is done afterwards.
inline std::vector<std::string> tune(TuningState& state, const std::vector<std::size_t>& config_counts,
                                     const ModelRegion& region, std::size_t longest = 1000) {
  std::vector<std::string> table;
  for (int batch = 0; !state.done() && batch < 100000; ++batch) {
    const std::vector<IterationPlan> planned = state.plan(std::min(longest, state.suggested_length()));
    std::vector<IterationPlan> plans = planned;
    if (state.problem_count() == 0) {
      for (const std::size_t count : config_counts) {
        state.add_problem({count, {}, std::nullopt});
        plans[0].cells.push_back({Cell::Role::step, 0, 0, true});
      }
    }
    BatchOutcome outcome;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      table.push_back(row_text(state.iterations() + static_cast<std::int64_t>(i), plans[i].cells));
      outcome.iterations.push_back(run_region(region, assignment_of(plans[i])));
    }
    state.observe(planned, outcome);
  }
  return table;
}

/// Own times by a table [problem][config]; the makespan is their sum.
inline ModelRegion additive_region(std::vector<std::vector<std::int64_t>> times) {
  const auto time = [times](std::size_t p, const Assignment& a) { return times[p][a[p]]; };
  return {time, [time](const Assignment& a) {
            std::int64_t sum = 0;
            for (std::size_t p = 0; p < a.size(); ++p) {
              sum += time(p, a);
            }
            return sum;
          }};
}

}  // namespace contextual::policy::test
