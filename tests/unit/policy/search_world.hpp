#pragma once

/// \file
/// A region whose answers depend on the whole assignment, and what drives a policy through it as the tuner
/// does.

#include "support/catch.hpp"
#include "unit/policy/model_region.hpp"

namespace contextual::policy::test {

/// A region whose answers depend on the assignment and on what was run before.
struct World {
  std::vector<std::size_t> configs;  ///< of each problem
  std::function<std::int64_t(const Assignment&)> makespan_ns;
  std::function<std::int64_t(std::size_t, std::size_t)> time_ns = [](std::size_t, std::size_t) {
    return 5000;
  };
  std::function<bool(const Assignment&)> feasible = [](const Assignment&) { return true; };
  std::function<bool(std::size_t)> overlaps = [](std::size_t) { return true; };
  bool only_launches = false;  ///< the timer sees no other work
  std::int64_t skew_ns = 0;    ///< of the first run after another assignment or an exchange
  std::int64_t elapsed_per_run_ns = 0;
  std::function<bool(std::int64_t)> timed = [](std::int64_t) { return true; };         ///< by run, from 1 on
  std::function<bool(std::int64_t)> has_makespan = [](std::int64_t) { return true; };  ///< the same
  /// By run, from 1 on, and problem: its own time is missing.
  std::function<bool(std::int64_t, std::size_t)> loses_time = [](std::int64_t, std::size_t) { return false; };
  /// By run, from 1 on: launches are not timed.
  std::function<bool(std::int64_t)> untimed = [](std::int64_t) { return false; };
  /// By run, from 1 on, and problem: it is not launched.
  std::function<bool(std::int64_t, std::size_t)> skips = [](std::int64_t, std::size_t) { return false; };
  /// By run, from 1 on, problem and config: the config is rejected.
  std::function<bool(std::int64_t, std::size_t, std::size_t)> rejects = [](std::int64_t, std::size_t,
                                                                           std::size_t) { return false; };
  std::int64_t joins_at = -1;  ///< the run in which the last problem is launched first; -1: the first
};

class Driver {
 public:
  Driver(PolicyOptions options, World world) : state(std::move(options)), world_(std::move(world)) {}

  void run_batch() {
    const std::vector<IterationPlan> plans = state.plan(state.suggested_length());
    BatchOutcome outcome;
    last_.clear();
    for (const IterationPlan& plan : plans) {
      const bool joins = runs >= world_.joins_at;
      for (std::size_t p = state.problem_count(); p < world_.configs.size() - (joins ? 0 : 1); ++p) {
        state.add_problem({world_.configs[p], {}, std::nullopt});
      }
      outcome.iterations.push_back(run(plan));
      for (std::size_t p = 0; p < plan.cells.size(); ++p) {
        if (world_.rejects(runs, p, all.back()[p])) {
          outcome.rejections.push_back({p, all.back()[p], outcome.iterations.size() - 1, "failed"});
          outcome.iterations.back().cells[p].time_ns.reset();
        }
      }
    }
    for (IterationOutcome& iteration : outcome.iterations) {
      iteration.cells.resize(state.problem_count());
    }
    outcome.elapsed_ns = runs * world_.elapsed_per_run_ns;
    state.observe(plans, outcome);
    batches.push_back(plans);
  }

  void finish() {
    while (!state.done()) {
      REQUIRE(batches.size() < 3000);
      run_batch();
    }
  }

  Assignment choice() const {
    Assignment choice;
    for (std::size_t p = 0; p < state.problem_count(); ++p) {
      choice.push_back(state.problem(p).choice);
    }
    return choice;
  }

  std::int64_t runs_of(const Assignment& assignment) const {
    return std::count(all.begin(), all.end(), assignment);
  }

  TuningState state;
  std::int64_t runs = 0;
  std::vector<Assignment> all;
  std::vector<std::vector<IterationPlan>> batches;

 private:
  IterationOutcome run(const IterationPlan& plan) {
    Assignment assignment(state.problem_count(), 0);
    for (std::size_t p = 0; p < plan.cells.size(); ++p) {
      assignment[p] = plan.cells[p].config_id;
    }
    ++runs;
    all.push_back(assignment);
    IterationOutcome outcome;
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      outcome.cells.push_back(
          {true, world_.time_ns(p, assignment[p]), false, world_.overlaps(p), world_.only_launches});
    }
    outcome.makespan_ns = world_.makespan_ns(assignment) + (assignment == last_ ? 0 : world_.skew_ns);
    last_ = assignment;
    for (std::size_t p = 0; p < outcome.cells.size(); ++p) {
      outcome.cells[p].untimed = world_.untimed(runs);
      if (world_.loses_time(runs, p) || outcome.cells[p].untimed) {
        outcome.cells[p].time_ns.reset();
      }
      if (world_.skips(runs, p)) {
        outcome.cells[p] = {};
      }
    }
    if (!world_.has_makespan(runs)) {
      outcome.makespan_ns.reset();
    }
    if (!world_.timed(runs)) {
      outcome.makespan_ns.reset();
      for (CellOutcome& cell : outcome.cells) {
        cell.time_ns.reset();
      }
    }
    if (!world_.feasible(assignment)) {
      outcome.infeasible = "stuck";
      outcome.makespan_ns.reset();
    }
    return outcome;
  }

  World world_;
  Assignment last_;
};

/// A run to the end.
struct Tuned : Driver {
  Tuned(PolicyOptions options, World world) : Driver(std::move(options), std::move(world)) { finish(); }
};

/// The higher the configs, the shorter the makespan and the own times.
inline World later_is_shorter(std::vector<std::size_t> configs) {
  World world{std::move(configs), [](const Assignment& a) {
                std::int64_t makespan = 100'000;
                for (const std::size_t config : a) {
                  makespan -= 3000 * static_cast<std::int64_t>(config);
                }
                return makespan;
              }};
  world.time_ns = [](std::size_t, std::size_t config) { return 9000 - 1000 * static_cast<int>(config); };
  return world;
}

/// Only the last configs of both problems together are shorter, and their own times are the longest.
inline World only_together() {
  World world{{4, 4}, [](const Assignment& a) {
                return a[0] == 3 && a[1] == 3 ? 70'000 : a[0] == 3 || a[1] == 3 ? 104'000 : 100'000;
              }};
  world.time_ns = [](std::size_t, std::size_t config) { return 5000 + 1000 * static_cast<int>(config); };
  return world;
}

}  // namespace contextual::policy::test
