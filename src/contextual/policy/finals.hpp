#pragma once

/// \file
/// The finals, which are the search after the walk (Phase::search): decides which contests are held, in which
/// order, and what they change. Pure.
///
/// The first contest compares the walk's choices with other whole sets. Then, in passes, a contest for each
/// problem compares its few best configs while all others stay fixed. The last contest compares the chosen
/// set with all defaults. If noise may have decided between a problem's candidates, they meet once more, for
/// twice as many rounds. A problem takes part while its status is `walked`; all others stay as they are.

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

  /// Returns true if a contest is open.
  bool running() const { return run_.has_value(); }

  /// Closes a finished contest and opens the next one. Locks in everything if none is left.
  void advance(std::vector<ProblemState>& problems);

  /// Returns the next trials of the open contest, at most `max_trials`.
  std::vector<ContestRun::Trial> plan(std::size_t max_trials) const;
  /// Returns the number of remaining trials of the open contest.
  std::size_t remaining() const { return run_ ? run_->remaining() : 0; }

  /// Returns the cell of `problem` in `trial`, or nothing if the problem stays fixed. A contest must be open.
  std::optional<Cell> cell(const ContestRun::Trial& trial, std::size_t problem,
                           const ProblemState& state) const;

  /// Takes in the outcome of one trial. If its problem was not launched or the makespan is missing, the round
  /// is repeated.
  void observe(const ContestRun::Trial& trial, const IterationOutcome& outcome);

  /// Takes in a rejection that the problem has taken in already.
  void reject(std::size_t problem, std::size_t config_id);

  /// Tells that problems joined, from index `first` on. The open contest becomes void; the passes will
  /// include the new problems.
  void interrupt(std::size_t first);

  /// Ends the open contest, which changes nothing.
  void close(const std::string& reason);

  /// Estimates the iterations after the open contest, without those of repeated contests.
  std::size_t expected_afterwards(const std::vector<ProblemState>& problems) const;

  const std::vector<Contest>& contests() const { return contests_; }
  std::int64_t retakes() const;  ///< rounds that were repeated, and rounds of contests that became void

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
  /// The rest of the tie margin. Each tie uses up some of it, so that many slight losses do not add up.
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
