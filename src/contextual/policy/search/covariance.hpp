#pragma once

/// \file
/// The prior belief of the search: how much the values of two assignments have in common.

#include "contextual/policy/search/search_space.hpp"

#include <contextual/search.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace contextual::policy::search {

/// One measured value of an assignment. Values are logarithms of makespans, or 1 and 0 for infeasible and
/// feasible.
struct Measurement {
  Assignment assignment;
  double run = 0;  ///< which run of the region it was, counted from any beginning
  double value = 0;
  int samples = 1;            ///< whose mean `value` is; 0 if it is no sample at all
  double extra_variance = 0;  ///< of the measurement, beyond that of its samples
};

/// The variances of the independent terms that a value is the sum of.
struct Variances {
  double common = 0.1;         ///< one term for all assignments
  double config = 0.0025;      ///< a term for each config of a problem, shared by all problems
  double parameter = 0.0025;   ///< a term for each value of a parameter, shared by all problems
  double pair = 0.0004;        ///< a term for each pair of configs of two problems, shared by all pairs
  double assignment = 0.0002;  ///< a term for each assignment
  double drift = 0.0002;       ///< a term that changes with time, for all assignments
  double own_drift = 0.00005;  ///< the same for each assignment
  double sample = 0.0001;      ///< a term for each sample

  bool operator==(const Variances&) const = default;
};

/// Runs so far apart have no drift in common; between them their common part falls linearly, in steps.
inline constexpr int drift_steps = 8;
inline constexpr double runs_per_drift_step = 12;

/// Returns the drift step that a run belongs to.
long drift_step(double run) noexcept;

/// All of them but `common`, of which a region's measurements say nothing.
inline constexpr std::array fitted_variances{&Variances::config,   &Variances::pair,  &Variances::assignment,
                                             &Variances::sample,   &Variances::drift, &Variances::own_drift,
                                             &Variances::parameter};

/// Returns the variance of a measurement's noise.
double noise(const Variances& variances, const Measurement& measurement) noexcept;

/// What two assignments have in common.
struct Likeness {
  std::size_t matches = 0;  ///< problems with the same config
  double parameters = 0;    ///< SearchSpace::likeness
};

/// Returns the covariance of the values of two assignments, without drift and noise.
double covariance(const Variances& variances, const Likeness& likeness, std::size_t problem_count) noexcept;

/// The measurements with what every two of them have in common, from which the matrices of many variances are
/// made. Not thread-safe. Keeps a reference to the space.
class MeasurementTable {
 public:
  explicit MeasurementTable(const SearchSpace& space, std::vector<Measurement> measurements = {});

  /// Replaces the measurements. Returns the number of rows of the covariance matrix, from the first one on,
  /// that stay as they were. Costs the number of measurements, times that of rows that do not stay.
  std::size_t replace(std::vector<Measurement> measurements);

  const SearchSpace& space() const noexcept { return *space_; }
  std::size_t size() const noexcept { return measurements_.size(); }
  const Measurement& operator[](std::size_t i) const { return measurements_[i]; }

  /// Returns the index of the first measurement of the same assignment as measurement `i`.
  std::size_t first_of(std::size_t i) const { return first_of_[i]; }

  /// Returns the index of the first measurement of an assignment, or nothing if it was not measured.
  std::optional<std::size_t> find(const Assignment& assignment) const;

  /// Returns what an assignment has in common with each measurement. Costs the number of measurements, times
  /// that of problems unless the assignment was measured.
  std::vector<Likeness> likeness(const Assignment& assignment) const;

  /// Returns the elements 0 to i of row i of the measurements' covariance matrix.
  std::vector<double> row(const Variances& variances, std::size_t i) const;

  /// Returns the median of the values, or 0 if there are none.
  double median_value() const;

 private:
  const SearchSpace* space_;
  std::vector<Measurement> measurements_;
  std::vector<Likeness> likeness_;     ///< of the lower triangle, row by row
  std::vector<std::size_t> first_of_;  ///< by measurement
  std::map<Assignment, std::size_t> first_by_assignment_;
};

}  // namespace contextual::policy::search
