#pragma once

/// \file
/// The built-in search for the best assignment of a region.
///
/// It keeps a belief about the makespan of every assignment: a Gaussian process in which configs, values of
/// parameters and pairs of configs contribute, the device drifts, and single runs are noisy. It draws
/// possible truths from the belief, tries what is the shortest in each (Thompson sampling), and thereby tries
/// what may be the best and leaves out what is surely worse. An assignment is first run once. Only the few
/// that may still be the best are then visited for samples, in turn, and that race decides. Where there are
/// refinements, those beside the winner are tried at the end, each time halfway to its neighbours.

#include "contextual/policy/search/belief.hpp"
#include "contextual/policy/search/coverage.hpp"
#include "contextual/policy/search/race.hpp"
#include "contextual/policy/search/refinement.hpp"
#include "contextual/policy/search/search_space.hpp"
#include "contextual/policy/search/trial_ledger.hpp"

#include <contextual/search.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::policy::search {

class JointSearch final : public Search {
 public:
  explicit JointSearch(const SearchRequest& request);

  std::vector<SearchTrial> plan() const override { return plan_; }
  void observe(const SearchObservation& observation) override;
  void reject(std::size_t problem, std::size_t config_id) override;
  void lost(const Assignment& assignment) override;
  std::optional<Assignment> best() const override;
  std::string reason() const override;
  std::size_t remaining_runs() const override;

 private:
  enum class Stage { start, cover, explore, race, refine, over };

  void forget_unusable();
  void decide();
  void begin();
  void cover();
  void explore();
  void race();
  void end_race();
  void refine();
  bool try_beside(const Assignment& best);
  void keep_for_race();
  void finish();

  Assignment defaults() const;
  bool usable(const Assignment& assignment) const;
  /// Those kept for refinement are not there before it begins.
  std::int64_t runs_left() const { return max_runs_ - refine_runs_ - ledger_.runs(); }
  std::int64_t visit_runs(const Assignment& assignment, int samples) const;
  bool ties(const Assignment& assignment, const Assignment& shortest) const;
  double longer_by(const Assignment& assignment, const Assignment& shortest) const;
  double uncertainty(const Assignment& assignment, const Assignment& shortest) const;
  std::optional<Assignment> stalled(const Assignment& incumbent) const;
  std::optional<Assignment> unsure_tie(const Assignment& incumbent) const;
  bool precedes(const Assignment& a, const Assignment& b) const;
  std::optional<Assignment> shortest_visited() const;
  std::optional<Assignment> shortest_tried() const;  ///< also of those without samples
  bool affordable(const Assignment& assignment, std::int64_t kept) const;
  int race_samples() const;
  int first_samples() const;
  std::int64_t visit(const Assignment& assignment, int samples, std::int64_t left);
  void try_out(const Assignment& assignment);
  std::optional<Assignment> next_to_explore(const std::optional<Assignment>& incumbent);

  std::vector<Assignment> starts_;
  std::size_t next_start_ = 0;
  std::int64_t max_runs_;
  bool has_many_runs_;
  double min_gain_;
  double tie_margin_;
  SearchSpace space_;
  Refinement refinement_;
  TrialLedger ledger_;
  Belief belief_;
  Coverage coverage_;
  Stage stage_ = Stage::start;
  bool racing_ = false;  ///< a round of the race has been planned
  std::vector<SearchTrial> plan_;
  std::int64_t further_runs_ = 0;       ///< of all starts but the first one
  std::int64_t race_runs_ = 0;          ///< kept for the race
  std::int64_t refine_runs_ = 0;        ///< kept for refinement, until that begins
  bool refining_ = false;               ///< something was refined since the last race
  std::int64_t refined_at_ = -1;        ///< at which run there was nothing to refine
  std::int64_t stalled_runs_ = 0;       ///< of what the machine may have stalled before
  std::int64_t incumbent_visited_ = 0;  ///< at which run
  int calm_ = 0;                        ///< draws in a row without a gain
  int start_tries_ = 0;                 ///< of the next start
};

}  // namespace contextual::policy::search
