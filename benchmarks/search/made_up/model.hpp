#pragma once

/// \file
/// How the kernels of a made-up region act on each other, without noise.

#include "search/made_up/kernel.hpp"

#include <contextual/search.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace search_replay::made_up {

using contextual::Assignment;
using Kernels = std::vector<Kernel>;

/// What runs without noise measure, in the mean.
struct Times {
  double makespan_ns = 0;
  std::vector<double> own_ns;  ///< in problem order
  double longer_by = 0;        ///< by how much some makespans exceed the others, relative
  double longer_share = 0;     ///< in which share of the runs
};

/// Returns nothing if the assignment is infeasible. It may lack the last problems; these do not run then.
using TimesOf = std::function<std::optional<Times>(const Kernels& kernels, const Assignment& assignment)>;

/// Immutable. Who makes a model finds its best makespan by construction, not by a search.
class Model {
 public:
  Model(Kernels kernels, TimesOf times, double best_ns);

  const Kernels& kernels() const { return kernels_; }
  std::optional<Times> times(const Assignment& assignment) const { return times_(kernels_, assignment); }
  double best_ns() const { return best_ns_; }

 private:
  Kernels kernels_;
  TimesOf times_;
  double best_ns_;
};

/// Returns the own times that the kernels have alone, with no makespan.
Times times_alone(const Kernels& kernels, const Assignment& assignment);

/// Returns the number of multiprocessors that the kernels occupy together.
int occupied_sms(const Kernels& kernels, const Assignment& assignment);

/// Returns the least makespan of all pairs of configs of two kernels; that of an infeasible pair is infinity.
template <typename Makespan>
double least_of_pairs(const Kernel& first, const Kernel& second, const Makespan& makespan_ns) {
  double least_ns = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < first.configs.size(); ++i) {
    for (std::size_t j = 0; j < second.configs.size(); ++j) {
      least_ns = std::min(least_ns, makespan_ns(i, j));
    }
  }
  return least_ns;
}

/// The same of the first two kernels, by their times.
double least_of_first_pairs(const Kernels& kernels, const TimesOf& times);

}  // namespace search_replay::made_up
