#pragma once

/// \file
/// What the search believes about the value of every assignment, after its measurements.

#include "contextual/policy/search/cholesky.hpp"
#include "contextual/policy/search/covariance.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::policy::search {

/// A Gaussian process over assignments: a value is a sum of a term for each config, for each parameter's
/// value, for each pair of configs, and one of its own, beside drift and noise. Not thread-safe. Keeps a
/// reference to the measurements.
class GaussianModel {
 public:
  /// `mean` is the expected value where nothing is known. Costs the cube of the number of measurements.
  GaussianModel(const MeasurementTable& table, const Variances& variances, double mean);

  /// Takes in that measurements were replaced, so that `kept` rows of their matrix stay, and what has become
  /// of the rest. The result is the same, to the last bit, as that of a new model. Costs the square of the
  /// number of measurements, times that of rows that do not stay: all of them with other variances. Draws
  /// from before become void.
  void update(const Variances& variances, double mean, std::size_t kept);

  /// Returns the expected value of an assignment, without drift.
  double expected(const Assignment& assignment) const;

  /// Returns the logarithm of the probability density of the measurements, without the constant.
  double log_evidence() const;

  /// One of the possible truths: a function of assignments that is drawn from the belief. Keeps references to
  /// the model and the measurements. Of very many problems each has terms with a few others only, which are
  /// drawn, too, and count for more: over all draws mean and covariance are those of the belief.
  class Draw {
   public:
    /// Returns the value of an assignment in this draw. Costs the number of measurements, times that of
    /// problems unless the assignment was measured.
    double operator()(const Assignment& assignment) const;

    /// An assignment with its value in the draw, of which one problem at a time is changed. Keeps a reference
    /// to the draw.
    class Place {
     public:
      Place(const Draw& draw, Assignment assignment);

      const Assignment& assignment() const noexcept { return assignment_; }
      double value() const noexcept { return value_; }

      /// Returns the value with another config of one problem.
      double value_with(std::size_t problem, std::size_t config) const;
      void move(std::size_t problem, std::size_t config);

     private:
      void evaluate();

      const Draw* draw_;
      Assignment assignment_;
      std::uint64_t key_;
      double sum_of_terms_ = 0;    ///< of all problems
      std::vector<double> pairs_;  ///< for each problem the sum of its pairs' terms
      double sum_of_pairs_ = 0;
      std::vector<Likeness> likeness_;  ///< to each measurement
      double value_ = 0;
    };

   private:
    friend class GaussianModel;
    Draw(const GaussianModel& model, std::uint64_t seed);
    std::vector<std::vector<std::size_t>> draw_partners() const;
    std::vector<double> pairs_of_measured() const;
    std::vector<double> priors_of_measured() const;
    std::vector<double> wrong() const;
    double prior(const Assignment& assignment) const;
    double prior(double sum_of_terms, double sum_of_pairs, std::uint64_t assignment_key) const;
    double pair(std::uint64_t key_of_one, std::uint64_t key_of_other) const;
    double pairs_of(const Assignment& assignment, std::size_t problem, std::size_t config) const;

    const GaussianModel* model_;
    std::uint64_t seed_;
    double common_;                                   ///< the term of all assignments
    std::vector<std::vector<double>> terms_;          ///< of each problem's configs and their parameters
    std::vector<std::vector<std::size_t>> partners_;  ///< the problems that each has pairs' terms with
    double scale_of_pairs_ = 0;
    std::vector<double> priors_;   ///< of the measurements' assignments, at the first one of each
    std::vector<double> weights_;  ///< of the measurements
  };

  /// Returns the draw of `seed`. Costs the square of the number of measurements.
  Draw draw(std::uint64_t seed) const { return {*this, seed}; }

 private:
  double covariance_of(const Likeness& likeness) const {
    return by_matches_[likeness.matches] + variances_.parameter * likeness.parameters;
  }
  double weighted(const std::vector<Likeness>& likeness, const std::vector<double>& weights) const;
  std::vector<double> centred() const;

  const MeasurementTable* table_;
  Variances variances_;
  double mean_ = 0;
  std::vector<double> by_matches_;  ///< the covariance by matches, without parameters
  Cholesky factor_;
  std::vector<double> weights_;
};

/// Returns variances under which the measurements are likely: the best of a coarse grid of factors of four,
/// climbed from `start`, with a weak preference for the built-in ones. Costs some forty models.
Variances fit_variances(const MeasurementTable& table, const Variances& start);

}  // namespace contextual::policy::search
