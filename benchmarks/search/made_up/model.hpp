#pragma once

/// \file
/// How the kernels of a made-up region act on each other, without noise.

#include "search/made_up/kernel.hpp"

#include <contextual/search.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace search_replay::made_up {

using contextual::Assignment;

/// What runs without noise measure, in the mean.
struct Times {
  double makespan_ns = 0;
  std::vector<double> own_ns;  ///< in problem order
  double longer_by = 0;        ///< by how much some makespans exceed the others, relative
  double longer_share = 0;     ///< in which share of the runs
};

/// Immutable. Each model finds its best makespan by construction, not by a search.
class Model {
 public:
  explicit Model(std::vector<Kernel> kernels);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  /// Returns nothing if the assignment is infeasible. It may lack the last problems; these do not run then.
  virtual std::optional<Times> times(const Assignment& assignment) const = 0;
  virtual double best_ns() const = 0;

  const std::vector<Kernel>& kernels() const { return kernels_; }

 protected:
  const KernelConfig& config(std::size_t problem, std::size_t id) const {
    return kernels_[problem].configs[id];
  }

  /// Returns the own times that the kernels have alone, with no makespan.
  Times times_alone(const Assignment& assignment) const;

 private:
  std::vector<Kernel> kernels_;
};

}  // namespace search_replay::made_up
