#pragma once

/// \file
/// What a search has measured so far.

#include "contextual/policy/far_values.hpp"
#include "contextual/policy/search/covariance.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace contextual::policy::search {

/// How much longer lead-ins are than samples of the same assignment, as a difference of logarithms.
struct Lateness {
  double mean = 0.05;
  double deviation = 0.1;
};

/// Every trial's result. A value type; not thread-safe.
class TrialLedger {
 public:
  /// `feasible` returns false for what the user has ruled out.
  explicit TrialLedger(std::function<bool(const Assignment&)> feasible = {})
      : feasible_(std::move(feasible)) {}

  /// Takes in what the walk measured of an assignment.
  void add_walked(const SearchSample& sample);

  /// Takes in a trial.
  void add(const SearchObservation& observation);

  /// Returns the number of runs so far, without the walk's.
  std::int64_t runs() const noexcept { return runs_; }

  bool proven(const Assignment& assignment) const { return proven_.contains(assignment); }
  /// Takes in that the assignment must not be run any more, though it did not fail.
  void lost(const Assignment& assignment) { lost_.insert(assignment); }

  /// Returns true for what has failed and for what is ruled out.
  bool infeasible(const Assignment& assignment) const {
    return infeasible_.contains(assignment) || lost_.contains(assignment) ||
           (feasible_ && !feasible_(assignment));
  }
  /// Returns what has failed.
  const std::set<Assignment>& infeasible() const noexcept { return infeasible_; }
  const std::set<Assignment>& proven() const noexcept { return proven_; }
  std::size_t sample_count(const Assignment& assignment) const;
  /// Returns how often samples of the assignment were taken.
  std::size_t visits(const Assignment& assignment) const;
  /// Returns the number of visits of each assignment that has any.
  const std::map<Assignment, std::size_t>& visited() const noexcept { return visits_; }

  /// Returns true for an assignment whose samples differ far more than those of the others usually do, be it
  /// all of them or some that are far longer and likelier its own than the machine's.
  bool erratic(const Assignment& assignment) const;
  bool has_erratic() const;
  /// Returns true while it is not clear whose its far samples are.
  bool unclear(const Assignment& assignment) const;
  /// Returns true if an assignment may be shorter than `expected`, the logarithm of another one's makespan,
  /// and longer only because the machine stalled some of its runs: it is not clear whose its far samples are,
  /// most of its samples are far longer than one that is shorter, or it has at most two samples, which are
  /// far longer than one of its runs, or than `expected` in the only run that there was.
  bool may_be_stalled(const Assignment& assignment, double expected) const;
  /// Returns the standard error of the mean logarithm of an assignment's samples, or 0 if it has none.
  double error(const Assignment& assignment) const;

  /// Returns true if the run after a lead-in still is longer than those that follow it, as it is in short
  /// regions. Visits of two samples and more then leave it out.
  bool second_runs_are_late() const;

  Lateness lateness() const;

  /// Returns the logarithms of makespans: of each visit the mean, and of each lead-in without samples its
  /// makespan less `lateness`. An erratic assignment's visits have the variance of its samples, and half of
  /// that added, because the mean of its makespans is what it costs. Far samples that are likelier the
  /// machine's count for nothing, or have an extra variance where they are a whole visit; others count as the
  /// median of them. Measurements keep their places: later ones follow at the end.
  std::vector<Measurement> makespans(const Lateness& lateness) const;
  /// Returns 1 for each infeasible assignment and 0 for each that succeeded, in the order of their first
  /// runs.
  std::vector<Measurement> failures() const;

 private:
  /// What is known of an assignment's samples, as logarithms.
  struct Samples {
    std::vector<double> values;
    double limit = 0;  ///< those beyond it are far
    double most = 0;   ///< the median of these
    FarShare share;
    double near_variance = 0;    ///< without them, of now or of when it was about the same
    double capped_variance = 0;  ///< with them, none longer than `most`
    void add(const std::vector<double>& more);
  };
  FarJudgement judged(const Samples& samples) const;
  bool counts_far(const Samples& samples) const { return judged(samples).likelier_set; }
  double variance(const Samples& samples) const;
  bool erratic(const Samples& samples) const;
  static void settle(Measurement& visit, std::span<const double> values, const Samples& samples,
                     bool counts_far);
  void note_second_run(const std::vector<double>& values);
  void judge_spreads();
  void note_success(const Assignment& assignment);
  void note_failure(const Assignment& assignment);
  void add_visit(const Assignment& assignment, const std::vector<double>& logarithms, double run);

  std::function<bool(const Assignment&)> feasible_;
  std::int64_t runs_ = 0;
  double walked_runs_ = 0;
  std::set<Assignment> proven_;
  std::set<Assignment> infeasible_;
  std::set<Assignment> lost_;
  std::map<Assignment, std::size_t> visits_;
  std::map<Assignment, Samples> samples_;
  /// Of an assignment, lead-ins and first runs included.
  struct Runs {
    int count = 0;
    double least = 0;  ///< logarithm
    void add(double value);
  };
  std::map<Assignment, Runs> seen_runs_;
  FarShare far_;               ///< of all samples
  double usual_variance_ = 0;  ///< of the samples of an assignment
  /// Of second runs over the samples that followed them, as differences of logarithms.
  std::vector<double> second_run_excesses_;
  std::vector<Assignment> known_;           ///< proven or infeasible, in the order of their first runs
  std::vector<Measurement> measurements_;   ///< visits, and lead-ins alone with their lateness
  std::vector<std::size_t> first_samples_;  ///< by measurement: its place among the samples of its assignment
  std::vector<double> excesses_;            ///< of lead-ins over the samples after them
};

}  // namespace contextual::policy::search
