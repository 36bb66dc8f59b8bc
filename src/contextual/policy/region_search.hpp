#pragma once

/// \file
/// What follows the walk: a search for the best assignment by the makespan of the region, a closing
/// comparison with the defaults, and the choices that come of both. Where alternatives were compared, the
/// choice is then also compared with the defaults of everything. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/batch_plan.hpp"
#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/closing_contest.hpp"
#include "contextual/policy/feasibility.hpp"
#include "contextual/policy/policy_options.hpp"
#include "contextual/policy/problem_state.hpp"
#include "contextual/policy/search_batch.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/search_samples.hpp"
#include "contextual/policy/walk_log.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy {

/// What a search is to decide.
struct SearchTask {
  std::vector<std::size_t> problems;  ///< problems that have walked
  std::vector<std::size_t> settled;   ///< the problems that are locked in when it is over
  /// Where `problems` is a choice point: by alternative, the choices of all problems that are best with it.
  std::vector<Assignment> by_alternative;
  std::size_t parts = 1;  ///< how many searches share what is left of the budget, with this one
};

/// Not thread-safe. Keeps references to the options, the walk's log, the choice points and what is known to
/// be feasible.
class RegionSearch {
 public:
  RegionSearch(const PolicyOptions& options, const WalkLog& walk, const ChoicePoints& choice_points,
               Feasibility& feasibility)
      : options_(options),
        walk_(walk),
        choice_points_(choice_points),
        feasibility_(feasibility),
        samples_(choice_points) {}

  /// Returns true while it plans runs.
  bool running() const noexcept { return stage_ != Stage::idle; }

  /// Returns false while it compares what is decided with all defaults, which are then not to blame.
  bool decides() const noexcept { return stage_ != Stage::overall; }

  /// Returns true if a closing comparison has begun and is not over.
  bool comparing() const noexcept {
    return running() && closing_ && closing_->running() && closing_->comparison().begun();
  }

  /// Begins a search. `iterations` is the number of tuning iterations so far.
  void begin(const std::vector<ProblemState>& problems, SearchTask task, std::int64_t iterations);

  /// Goes on until there are runs to plan. When the search is over, it chooses for the problems of its task,
  /// and locks in those that it is to settle.
  void advance(std::vector<ProblemState>& problems);

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
  void cut(const std::string& reason);

  /// Returns the searches that are over.
  const std::vector<SearchRecord>& records() const noexcept { return records_; }
  /// Returns why no assignment can be locked in; empty if one can, or if it is not known yet.
  const std::string& failure() const noexcept { return failure_; }
  /// Forgets the failure, because there is an alternative to what failed.
  void forgive() { failure_.clear(); }
  /// Returns how many runs `searches` searches, of which one may be running, can still take after
  /// `iterations` tuning iterations, by what is known of the problems so far and if no run has to be
  /// repeated.
  std::int64_t most_runs(const std::vector<ProblemState>& problems, std::int64_t iterations,
                         std::size_t searches) const;
  /// Returns the number of runs that had to be repeated.
  std::int64_t retakes() const noexcept { return retakes_; }

 private:
  enum class Stage { idle, searching, closing, overall };

  void note_choices(const std::vector<ProblemState>& problems);
  void make_search(const std::vector<ProblemState>& problems, std::int64_t iterations);
  void rule_out();
  void end_search();
  void choose_unmeasured();
  std::string known_failure() const;
  bool compares_further() const;
  void begin_closing();
  bool end_closing();
  void lose();
  void give_back();
  void search_again();
  std::optional<Assignment> next_candidate();
  void begin_next_comparison();
  void begin_overall();
  void end_overall();
  void begin_comparison(SearchRecord& record, Assignment reference, Reference kind);
  ClosingContest::Verdict end_comparison(SearchRecord& record);
  bool may_compare() const;
  Reference kind_of_defaults() const;
  void conclude(std::vector<ProblemState>& problems);
  void give_up(std::vector<ProblemState>& problems);
  void end();

  void tell_search(SearchObservation observation);
  void observe_in_closing(const SearchObservation& observation);
  bool searchable(const ProblemState& problem) const;
  bool decided_by_time(const ProblemState& problem) const;
  void make_contest();
  std::int64_t runs_in_all() const;
  std::int64_t most_runs_left() const;
  std::int64_t runs_for_search(std::int64_t iterations, std::size_t parts) const;
  bool allowed(const Assignment& assignment) const;
  Assignment full(const Assignment& of_members) const;
  std::vector<SearchTrial> trials() const;
  void observe_trial(const SearchObservation& observation);
  bool ruled_out(const Assignment& assignment) const;
  bool measured(const Assignment& assignment) const;

  const PolicyOptions& options_;
  const WalkLog& walk_;
  const ChoicePoints& choice_points_;
  Feasibility& feasibility_;

  Stage stage_ = Stage::idle;
  SearchTask task_;
  std::vector<std::size_t> members_;
  std::vector<SearchMember> sampled_;        ///< the same
  Assignment base_;                          ///< what the problems that are no members use
  Assignment walked_;                        ///< what the walk would choose by now
  Assignment defaults_;                      ///< the same, with the default of every problem that waits
  std::map<std::size_t, bool> by_makespan_;  ///< of this and all searches before: what decides a problem
  Assignment all_defaults_;                  ///< the default of everything that the run tunes
  std::unique_ptr<Search> search_;
  std::optional<ClosingContest> closing_;
  ClosingContest::Claim claim_ = ClosingContest::Claim::faster;  ///< of what is chosen now
  SearchSamples samples_;
  bool irregular_ = false;               ///< what the region launches has ended the search
  SearchRecord record_;                  ///< of the search that is running
  std::optional<SearchRecord> overall_;  ///< of the comparison with `all_defaults_`
  bool stopped_ = false;                 ///< nothing may be run any more
  std::int64_t max_runs_ = 0;
  std::uint64_t context_ = 0;  ///< counts what makes earlier plans void
  std::int64_t retakes_ = 0;
  std::string failure_;
  std::vector<SearchRecord> records_;
};

}  // namespace contextual::policy
