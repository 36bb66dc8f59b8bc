#pragma once

/// \file
/// What follows the walk: a search for the best assignment by the makespan of the region, a closing
/// comparison with the defaults, and the choices that come of both. Where alternatives were compared, the
/// choice is then also compared with the defaults of everything. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/closing_stage.hpp"
#include "contextual/policy/far_values.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/search_batch.hpp"
#include "contextual/policy/search_driver.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/search_samples.hpp"
#include "contextual/policy/search_scope.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::policy {

/// Not thread-safe.
class RegionSearch {
 public:
  explicit RegionSearch(const SearchBasis& basis)
      : basis_(basis),
        samples_(basis.choice_points),
        scope_(basis),
        driver_(basis, scope_),
        closing_(basis, scope_, samples_, driver_, ongoing_) {}
  RegionSearch(const RegionSearch&) = delete;
  RegionSearch& operator=(const RegionSearch&) = delete;

  /// Returns true while it plans runs.
  bool running() const noexcept { return stage_ != Stage::idle; }

  /// Returns false while it compares what is decided with all defaults, which are then not to blame.
  bool decides() const noexcept { return !closing_.compares_overall(); }

  /// Returns true if a closing comparison has begun and is not over.
  bool comparing() const { return running() && closing_.comparing(); }

  /// Begins a search. `iterations` is the number of tuning iterations so far.
  void begin(SearchTask task, std::int64_t iterations);

  /// Goes on until there are runs to plan. When the search is over, it chooses for the problems of its task,
  /// locks in those that it is to settle, and returns true.
  bool advance();

  /// Returns the runs of the next batch, as search_batch makes them of at most `most` runs. Assignments are
  /// those of all problems.
  std::vector<SearchRunPlan> plan(std::size_t most) const;

  /// Takes in the outcomes of the first `outcomes.size()` of the planned runs.
  void observe(const std::vector<SearchRunPlan>& runs, const std::vector<IterationOutcome>& outcomes);

  /// Call it after each rejection of a config.
  void reject(std::size_t problem, std::size_t config_id);

  /// Forgets the search, because a problem walks again or has joined: another one begins after its walk.
  void interrupt();

  /// Ends the search with what it has found so far: `reason` says why.
  void cut(const Reason& reason);

  /// The final run has replaced a choice.
  void note_replaced() {
    if (!records_.empty()) {
      records_.back().replaced = true;
    }
  }

  /// Returns the searches that are over.
  const std::vector<SearchRecord>& records() const noexcept { return records_; }
  /// Returns why no assignment can be locked in; empty if one can, or if it is not known yet.
  const Reason& failure() const noexcept { return ongoing_.failure; }
  /// Nothing can be locked in, for this reason, though no search has found that out.
  void fail(const Reason& reason) { ongoing_.failure = reason; }
  /// Forgets the failure, because there is an alternative to what failed.
  void forgive() { ongoing_.failure = {}; }
  /// Returns how many runs `searches` searches, of which one may be running, can still take after
  /// `iterations` tuning iterations, by what is known of the problems so far and if no run has to be
  /// repeated.
  std::int64_t most_runs(std::int64_t iterations, std::size_t searches) const;
  /// Returns the number of runs that had to be repeated.
  std::int64_t retakes() const noexcept { return retakes_; }
  /// Returns how many makespans of the walk, and of one of its searches, are more than three times the median
  /// of their assignments: of the search that has most.
  FarShare stalls() const;

 private:
  enum class Stage { idle, searching, closing };

  bool searchable(const ProblemState& problem) const;
  bool decided_by_time(const ProblemState& problem) const;
  std::vector<SearchTrial> trials() const;
  void observe_trial(const SearchObservation& observation);
  void pass_on(const SearchObservation& observation);
  bool goes_on();
  bool answer_infeasible();
  void end_search();
  void conclude();
  void give_up();
  void end();
  bool hides_gain(const SearchRecord& overall) const;
  bool measured(const Assignment& assignment) const;
  std::int64_t comparisons() const { return scope_.compares_alternatives() ? 2 : 1; }

  SearchBasis basis_;
  Stage stage_ = Stage::idle;
  OngoingSearch ongoing_;
  SearchSamples samples_;
  SearchScope scope_;
  SearchDriver driver_;
  ClosingStage closing_;
  std::int64_t runs_ = 0;    ///< of the search and its closing comparisons, at most
  bool irregular_ = false;   ///< what the region launches has ended the search
  FarShare earlier_stalls_;  ///< before this search
  std::int64_t retakes_ = 0;
  std::vector<SearchRecord> records_;
};

}  // namespace contextual::policy
