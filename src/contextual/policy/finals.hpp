#pragma once

/// \file
/// Phase 2: which contests are held, in which order, and what they change. Pure.
///
/// First the walk's choices meet whole sets, then each problem's few best meet with the others fixed, in
/// passes, and last the chosen set meets all defaults. Where the noise may have decided between a problem's
/// candidates, these meet again, once, for twice as many rounds. A problem takes part while its status is
/// `walked`; all others stay as they are.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/contest_run.hpp"
#include "contextual/policy/problem_state.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::policy {

/// Not thread-safe. Keeps a reference to the options.
class Finals {
 public:
  explicit Finals(const PolicyOptions& options) : options_(&options), tie_slack_(options.tie_margin) {}

  /// A contest is open.
  bool running() const { return run_.has_value(); }

  /// Closes a finished contest, opens the next one, or locks in everything when none is left.
  void advance(std::vector<ProblemState>& problems);

  /// The open contest's trials still to come, at most `max_trials`.
  std::vector<ContestRun::Trial> plan(std::size_t max_trials) const;
  /// How many trials of the open contest are still to come.
  std::size_t remaining() const { return run_ ? run_->remaining() : 0; }

  /// What `trial` makes of `problem`: a candidate's cell, or nothing when the problem stays fixed. A contest
  /// is open.
  std::optional<Cell> cell(const ContestRun::Trial& trial, std::size_t problem,
                           const ProblemState& state) const;

  /// Takes what one trial brought. Without its problem's launch, or without a makespan, the round is taken
  /// again.
  void observe(const ContestRun::Trial& trial, const IterationOutcome& outcome);

  /// Takes a rejection that the problem already knows.
  void reject(std::size_t problem, std::size_t config_id);

  /// Problems joined, from index `first` on: the open contest is void, and the passes will reach them.
  void interrupt(std::size_t first);

  /// The open contest ends here and changes nothing.
  void close(const std::string& reason);

  /// An estimate of the iterations after the open contest, without those of contests that are repeated.
  std::size_t expected_afterwards(const std::vector<ProblemState>& problems) const;

  const std::vector<Contest>& contests() const { return contests_; }
  std::int64_t retakes() const;  ///< rounds that were taken again, and those of contests that became void

 private:
  enum class Stage { begin, sets, passes, verdict, over };

  bool open(const std::vector<ProblemState>& problems);
  bool open_sets(const std::vector<ProblemState>& problems);
  bool open_problem(const std::vector<ProblemState>& problems);
  bool open_verdict(const std::vector<ProblemState>& problems);
  bool start(Contest::Kind kind, std::vector<ContestRun::Entry> entries);
  void start_rematch(const ContestRun::Result& result);
  void conclude(std::vector<ProblemState>& problems);
  void apply(const ContestRun::Result& result, std::vector<ProblemState>& problems);
  void step_on(std::size_t problem_count);
  void step_pass(std::size_t problem_count);
  void discard();
  bool context_changed(std::size_t problem) const;
  std::vector<std::size_t> candidates(const ProblemState& problem) const;

  const PolicyOptions* options_;
  std::optional<ContestRun> run_;  ///< the open contest
  /// What is left of the tie margin: many changes that the makespan hardly feels must not add up.
  double tie_slack_;
  std::vector<Contest> contests_;  ///< those that are over
  Stage stage_ = Stage::begin;
  int pass_ = 0;
  std::size_t problem_ = 0;                 ///< whose turn it is in the passes
  bool pass_changed_ = false;               ///< a makespan's gain changed a choice in this pass
  std::int64_t retakes_ = 0;                ///< of contests that are over
  std::int64_t stamp_ = 0;                  ///< counts contests and changes
  std::vector<std::int64_t> contested_at_;  ///< per problem: when its last contest ended; 0: none yet
  std::vector<std::int64_t> changed_at_;    ///< per problem: when the finals last changed its choice
};

}  // namespace contextual::policy
