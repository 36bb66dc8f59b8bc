#pragma once

/// \file
/// The tuning problems of a run and the state that decides them.

#include "contextual/agreement/known_spaces.hpp"
#include "contextual/launch/run_context.hpp"
#include "contextual/policy/tuning_state.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/storage/choice_set.hpp"

#include <contextual/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::agreement {

/// Configs that were chosen together.
using StartingPoint = std::vector<storage::KeptChoice>;

/// Returns the config that a starting point names for a problem, in today's config space, or nothing.
/// `parameters`: by config, null if some rank does not know them; the config is then known by its number.
std::optional<std::size_t> config_of(const StartingPoint& point, const detail::Problem& problem,
                                     const std::vector<Config>* parameters);

/// A tuning iteration of a batch whose assignment of configs failed on some rank.
struct InfeasibleIteration {
  std::size_t batch_iteration = 0;
  std::string reason;
};

/// The tuning problems of a run and the state that decides them, in the order in which they joined.
class ProblemSet {
 public:
  explicit ProblemSet(const policy::PolicyOptions& options) : state_(options) {}

  /// Where the search is to look, too, for the problems that join from now on.
  void start_also_from(std::vector<StartingPoint> points) { starting_points_ = std::move(points); }

  /// Adds the slot's problem to this set. The next batch that the state observes must have outcomes of it.
  /// `in`: the alternative that launches it, or null.
  void join(detail::ProblemSlot& slot, const detail::LaunchingAlternative* in);

  /// The config spaces of the problems that join from now on must be in there, but for those of coupled ones.
  KnownSpaces& spaces() noexcept { return spaces_; }

  const std::vector<detail::ProblemSlot*>& slots() const noexcept { return slots_; }
  policy::TuningState& state() noexcept { return state_; }
  const policy::TuningState& state() const noexcept { return state_; }

  /// Returns the index of the slot's problem in the state, or nothing before it has joined.
  std::optional<std::size_t> index_of(const detail::ProblemSlot& slot) const noexcept {
    return slot.index < indices_.size() ? indices_[slot.index] : std::nullopt;
  }
  /// Returns the slot's record, or null before its problem has joined.
  const policy::ProblemRecord* record_of(const detail::ProblemSlot& slot) const;
  /// Returns all problems of a run for reports, those that have not joined included.
  std::vector<record::ProblemView> views(const detail::RunContext& context) const;
  /// Returns what the run found locked in, by problem; the default where nothing was.
  Assignment found_locked_in() const;
  /// Returns every rejected config of a problem that has joined, with its reason.
  std::vector<Rejection> rejections_of(const detail::ProblemSlot& slot) const;
  /// Returns the configs that launches rejected in the batch that has just run.
  std::vector<policy::RejectionOutcome> rejections_of_batch() const;
  /// Returns the tuning iterations of the batch in which a result was wrong that is blamed on the assignment.
  std::vector<InfeasibleIteration> infeasible_of_batch() const;
  /// Returns true if the tuning has failed: all configs of a problem are rejected, or the search has found no
  /// assignment with which the region succeeds.
  bool failed() const { return state_.failed_problem() || !state_.failure().empty(); }
  /// Throws TuningFailedError for that.
  [[noreturn]] void throw_failed(const std::string& region) const;
  /// Returns the configs of an assignment as text.
  std::string assignment_text(const Assignment& assignment) const;

 private:
  policy::TuningState state_;
  KnownSpaces spaces_;
  std::vector<detail::ProblemSlot*> slots_;          ///< by index in the state
  std::vector<std::optional<std::size_t>> indices_;  ///< in the state, by index of the slot
  std::vector<StartingPoint> starting_points_;
};

/// Returns the config as text, e.g. "{BLOCK: 64}", or a note that only other ranks know it.
std::string config_text(const detail::ProblemSlot& slot, std::size_t config_id);

}  // namespace contextual::agreement
