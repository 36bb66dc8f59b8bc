#pragma once

/// \file
/// What a search believes after its trials, and which assignment it would like to try.

#include "contextual/policy/search/gaussian_model.hpp"
#include "contextual/policy/search/random_numbers.hpp"
#include "contextual/policy/search/trial_ledger.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace contextual::policy::search {

/// The belief about makespans and about what is feasible. Not thread-safe. Keeps references to the space and
/// the ledger.
class Belief {
 public:
  Belief(const SearchSpace& space, const TrialLedger& ledger, std::uint64_t seed);
  Belief(const Belief&) = delete;
  Belief& operator=(const Belief&) = delete;

  /// Takes in what the ledger has now. Call it after every change, before the others. Costs the square of the
  /// number of measurements, and its cube where the variances are fitted again.
  void update();

  /// Returns the expected logarithm of an assignment's makespan.
  double expected(const Assignment& assignment) const { return makespans_.model.expected(assignment); }

  /// Returns true if a visit to a new assignment, which costs three runs, tells more than thrice what the
  /// first run alone would tell. That is so where lead-ins are very uneven.
  bool worth_a_sample() const;

  /// Returns the candidate of least expected makespan of which nothing is known but a first run, and which
  /// may gain more than `min_gain` over the incumbent if that run was late by twice the deviation of
  /// lead-ins. Returns nothing if there is none.
  std::optional<Assignment> doubtful(const Assignment& incumbent, double min_gain) const;

  /// The shortest assignment of a draw.
  struct Shortest {
    Assignment assignment;
    double gain = 0;  ///< by how much its logarithm is below the incumbent's in the same draw
  };

  /// Draws one of the possible truths and returns its shortest assignment, or nothing if no candidate is
  /// left. `incumbent`, if there is one, is feasible and one of the places to begin at.
  std::optional<Shortest> draw_shortest(const std::optional<Assignment>& incumbent);

  /// Returns the candidates that have been run and are feasible.
  std::vector<Assignment> tried() const;

  /// Draws one of the possible truths and returns its value for each of `assignments`.
  std::vector<double> draw_values(const std::vector<Assignment>& assignments);

 private:
  struct Fitted {
    Fitted(const SearchSpace& space, const Variances& variances) : table(space), model(table, variances, 0) {}
    Fitted(const Fitted&) = delete;
    Fitted& operator=(const Fitted&) = delete;

    void update(std::vector<Measurement> measurements, const Variances& variances,
                std::optional<double> mean);

    MeasurementTable table;
    GaussianModel model;
  };
  using ValueOf = GaussianModel::Draw;

  void update_makespans();
  void update_failures();
  void update_lateness();
  std::vector<Measurement> believed_makespans() const;
  bool doubt_outliers();
  bool allowed(const Assignment& assignment, const ValueOf* failure) const;
  std::optional<Assignment> shortest_of_all(const ValueOf& makespan, const ValueOf* failure) const;
  std::optional<Assignment> shortest_nearby(const ValueOf& makespan, const ValueOf* failure,
                                            const std::optional<Assignment>& incumbent);
  void descend(const ValueOf* failure, ValueOf::Place& place) const;
  Assignment random_assignment();

  const SearchSpace* space_;
  const TrialLedger* ledger_;
  RandomWords random_;
  Variances variances_;
  std::size_t fit_at_;  ///< so many measurements make the variances be fitted again
  Lateness lateness_;
  std::vector<bool> outliers_;  ///< by measurement: lead-ins that were far too long
  Fitted makespans_;
  std::optional<Fitted> failures_;  ///< of 1 for infeasible and 0 for feasible; empty if nothing has failed
};

}  // namespace contextual::policy::search
