#pragma once

/// \file
/// Two kernels that wait for each other and must fit on the device together.

#include "search/made_up/model.hpp"

namespace search_replay::made_up {

/// Problems 0 and 1 run at the same time, the others after them, so the makespan is the longer of the two and
/// the sum of the others. 40 % of the pairs of configs of 0 and 1 are infeasible: those that demand the most
/// of the device together. A config that demands more is usually faster.
///
/// The best makespan is that of the best feasible pair, of which all are tried, with the fastest configs of
/// the others.
class InfeasiblePairsModel final : public Model {
 public:
  enum class Defaults { feasible, infeasible };

  /// Needs two kernels at least. Moves the config that demands the least, or the most, of kernels 0 and 1 to
  /// their front, so that the defaults are as wanted.
  InfeasiblePairsModel(std::vector<Kernel> kernels, Defaults defaults, RandomNumbers& random);

  std::optional<Times> times(const Assignment& assignment) const override;
  double best_ns() const override;

 private:
  /// Kernels with the demand of the configs of the first two.
  struct Demanding {
    std::vector<Kernel> kernels;
    std::vector<double> demands[2];
  };

  explicit InfeasiblePairsModel(Demanding demanding);
  static Demanding demanding(std::vector<Kernel> kernels, Defaults defaults, RandomNumbers& random);

  bool fits(std::size_t first_id, std::size_t second_id) const {
    return demands_[0][first_id] + demands_[1][second_id] <= limit_;
  }

  std::vector<double> demands_[2];
  double limit_;
};

}  // namespace search_replay::made_up
