#pragma once

/// \file
/// Which runs of a search are samples, and what they say of each assignment. Pure.

#include "contextual/policy/batch_outcome.hpp"
#include "contextual/policy/choice_points.hpp"
#include "contextual/policy/far_values.hpp"
#include "contextual/policy/search_batch.hpp"
#include "contextual/policy/search_record.hpp"
#include "contextual/policy/walk_log.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace contextual::policy {

/// Samples of assignments.
class Makespans {
 public:
  using ByAssignment = std::map<Assignment, std::vector<double>>;
  explicit Makespans(ByAssignment all);

  const ByAssignment& all() const noexcept { return all_; }
  /// Returns the samples of an assignment, or none.
  const std::vector<double>& of(const Assignment& assignment) const;
  /// Returns what those of all other assignments say of the machine.
  FarShare machine_without(const Assignment& assignment) const {
    return machine_.without(machine_share(of(assignment)));
  }
  /// Returns what a program pays for an assignment.
  Summary paid_for(const Assignment& assignment) const;

 private:
  ByAssignment all_;
  FarShare machine_;
};

/// Assignments are those of all problems. Keeps a reference to the choice points. Not thread-safe.
class SearchSamples {
 public:
  static constexpr int most_misses = 3;  ///< runs of an assignment in a row without a valid time

  explicit SearchSamples(const ChoicePoints& choice_points) : choice_points_(choice_points) {}

  /// Forgets everything, for another search.
  void clear();

  void begin_batch() { batch_ = {}; }
  /// What a run of the batch says.
  struct Reading {
    SearchRun run;             ///< with a makespan if that is one of exactly this assignment
    bool out_of_time = false;  ///< it is the last of `most_misses` runs in a row without a valid time
  };
  /// `members`: the problems that the search chooses for.
  Reading read(const SearchRunPlan& planned, const IterationOutcome& outcome,
               const std::vector<std::size_t>& members);
  /// Returns true if several batches in a row had no sample because of what the region launched: where it
  /// never launches the same in two runs in a row, more runs show no more.
  bool end_batch();

  void add(const Assignment& assignment, std::int64_t makespan_ns) {
    makespans_[assignment].push_back(static_cast<double>(makespan_ns));
  }
  void forget(const Assignment& assignment) { makespans_.erase(assignment); }
  /// Forgets the assignments that launch this config.
  void forget(std::size_t problem, std::size_t config_id);
  /// Returns the makespans of all samples, those of the walk included.
  Makespans with(const WalkLog& walk) const;
  bool has(const Assignment& assignment) const { return makespans_.contains(assignment); }

  /// Notes what was measured, what it says of own times, and what ties with the choice.
  void note_in(SearchRecord& record, double tie_margin) const;

 private:
  /// Why a run is no sample.
  enum class Miss { none, no_time, other_launches, disturbed };
  /// What a batch had among its runs that are to be samples or, if it has none, among its lead-ins.
  struct Batch {
    bool planned = false;  ///< there was a run that is to be a sample
    bool any = false;
    bool other_launches = false;  ///< some run was no sample because of them
  };

  bool launched_as_usual(const Assignment& assignment, const IterationOutcome& outcome);
  void note(int run, Miss miss);

  const ChoicePoints& choice_points_;
  std::vector<std::optional<bool>> usually_launched_;  ///< by problem, while it is active
  int unusual_runs_ = 0;                               ///< in a row
  int barren_batches_ = 0;                             ///< in a row
  Batch batch_;                                        ///< the last one
  std::map<Assignment, int> misses_;                   ///< latest runs in a row without a time
  Makespans::ByAssignment makespans_;
};

}  // namespace contextual::policy
