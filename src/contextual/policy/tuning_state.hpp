#pragma once

/// \file
/// The replicated state machine of one `run`: which config every tuning problem uses next, and what is
/// locked in. Pure: no clock, no device, no communication, no thread. Every rank feeds its copy the same
/// agreed outcomes and so takes the same decisions.

#include "contextual/policy/statistics.hpp"

#include <contextual/schedule.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

enum class Phase { walk, finals, final_run };

enum class ProblemStatus {
  walking,     ///< its schedule has steps to come
  walked,      ///< walk complete, waits for the finals
  locked_in,   ///< best config fixed
  incomplete,  ///< closed early with what it has (not launched any more, iteration cap); `choice` is fixed
               ///< too
  failed,      ///< every config rejected
};

/// What the policy may know of a tuning problem.
struct ProblemRequest {
  std::size_t config_count = 1;              ///< config 0 is the default
  std::vector<bool> pruned;                  ///< per config; empty: none. The default is never pruned
  std::optional<std::size_t> locked_config;  ///< already locked in by an earlier run: nothing to tune
};

struct PolicyOptions {
  int n_warmup = 3;      ///< >= 1
  int n_repeat = 5;      ///< >= 1
  int settle_every = 0;  ///< tuning iterations a batch; 0: up to the end of the current config
  std::int64_t max_iterations =
      10000;  ///< tuning iterations of one run; problems still open then are closed as incomplete
  int absent_batches = 3;  ///< consecutive batches without a launch after which a problem is closed
  int retake_limit = 8;    ///< retakes a config may have before it is rejected
  Statistic statistic = Statistic::median;
  double tie_margin = 0.005;  ///< relative; configs closer than this are a tie, whatever their spread
  bool finals = true;
  int finals_candidates = 2;       ///< this many best by own time, those close to them, as many by makespan
  int finals_repeat = 5;           ///< paired rounds
  int finals_passes = 2;           ///< passes over all problems at most
  double finals_min_gain = 0.005;  ///< relative gain of the makespan that a change must bring
  ScheduleFactory schedule;        ///< empty: walk_schedule
};

/// What one tuning problem does in one tuning iteration.
struct Cell {
  enum class Role {
    step,       ///< walk: `config_id` in its `iteration`-th use
    candidate,  ///< finals: on trial
    best,       ///< fixed: locked in, or the best so far
  };
  Role role = Role::best;
  std::size_t config_id = 0;
  int iteration = 0;
  bool warmup = false;
};

/// One tuning iteration: a cell for every problem, in problem order.
struct IterationPlan {
  Phase phase = Phase::walk;
  std::vector<Cell> cells;
};

/// What the ranks agreed on for one problem in one tuning iteration.
struct CellOutcome {
  bool launched = false;
  std::optional<std::int64_t> time_ns;  ///< MAX over ranks; empty for a missing or invalid time
  /// The time is missing because a device was in another state on some rank: the config is not to blame.
  bool disturbed = false;
};

struct IterationOutcome {
  std::vector<CellOutcome> cells;           ///< in problem order, new problems included
  std::optional<std::int64_t> makespan_ns;  ///< MAX over ranks
};

/// An agreed rejection. What the config did from that tuning iteration of the batch on does not count.
struct RejectionOutcome {
  std::size_t problem = 0;
  std::size_t config_id = 0;
  std::size_t batch_iteration = 0;  ///< index in the batch; 0 also for a config that could not be prepared
  std::string reason;
};

struct BatchOutcome {
  std::vector<IterationOutcome> iterations;  ///< as many as were planned
  std::vector<RejectionOutcome> rejections;
};

/// A config's measurements in the walk.
struct ConfigRecord {
  std::vector<std::int64_t> samples_ns;    ///< own time, agreed; no warm-ups
  std::vector<std::int64_t> makespans_ns;  ///< of the same tuning iterations, where known
  std::optional<std::string> rejection;    ///< why it is out
  bool pruned = false;
  int retakes = 0;
};

/// Finals, one candidate of one contest.
struct Contender {
  std::size_t config_id = 0;
  Summary makespan;             ///< of its rounds
  std::optional<Summary> gain;  ///< paired: incumbent's makespan minus its own; empty for the incumbent
  bool chosen = false;
};

/// One contest of the finals: one problem's candidates with the others fixed, or whole sets.
struct Contest {
  enum class Kind {
    sets,  ///< walk's choices against all defaults (against all best by makespan); contenders' config_id is
           ///< the set's index
    problem,  ///< one problem's candidates
    verdict,  ///< last: the chosen set against all defaults; contenders' config_id is 0 (defaults) or 1
              ///< (chosen)
  };
  Kind kind = Kind::problem;
  std::size_t problem = 0;
  int pass = 0;
  std::vector<Contender> contenders;  ///< the incumbent first
  std::string reason;                 ///< why the chosen one was chosen
};

struct ProblemRecord {
  ProblemStatus status = ProblemStatus::walking;
  std::size_t choice =
      0;               ///< valid when locked in or incomplete; before that the best so far, else the default
  std::string reason;  ///< why `choice`
  std::vector<ConfigRecord> configs;
  std::int64_t walk_iterations = 0;  ///< steps observed
};

/// Not thread-safe.
class TuningState {
 public:
  explicit TuningState(PolicyOptions options);
  ~TuningState();
  TuningState(TuningState&&) noexcept;
  TuningState& operator=(TuningState&&) noexcept;

  /// Adds a problem and returns its index. Problems first seen in a batch are added before that batch is
  /// observed: the batch's outcome has cells for them, in which every launch used config 0, and they count.
  std::size_t add_problem(const ProblemRequest& request);

  /// Nothing is left to try: what comes is the final run.
  bool done() const;

  /// Finals wait while held (a rank still walks through problems of its own).
  void hold_finals(bool held);

  /// How many tuning iterations the next batch should have, >= 1; 1 while no problem is known.
  std::size_t suggested_length() const;

  /// The next batch, of exactly `length` iterations; a problem whose plan ends sooner goes on with its best.
  /// Does not change the state.
  std::vector<IterationPlan> plan(std::size_t length) const;

  /// What the last plan brought, agreed over all ranks.
  void observe(const BatchOutcome& outcome);

  /// Closes what is open as incomplete, with `reason`.
  void close_open_problems(const std::string& reason);

  std::size_t problem_count() const;
  const ProblemRecord& problem(std::size_t index) const;
  const std::vector<Contest>& contests() const;        ///< finals so far, in order
  std::int64_t iterations() const;                     ///< tuning iterations observed
  std::int64_t walk_iterations() const;                ///< of them in phase 1
  std::int64_t finals_iterations() const;              ///< of them in phase 2
  std::int64_t retakes() const;                        ///< steps and finals rounds that had to be taken again
  std::int64_t expected_remaining_iterations() const;  ///< an estimate for the time left
  bool hit_iteration_cap() const;

  /// The config a failed launch of the problem falls back to, besides the default: the best fully measured
  /// one. Empty when there is none, or when it is the default.
  std::optional<std::size_t> best_so_far(std::size_t problem) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace contextual::policy
