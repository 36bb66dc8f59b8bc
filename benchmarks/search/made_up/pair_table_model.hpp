#pragma once

/// \file
/// Two kernels whose makespan is a table of all pairs of their configs.

#include "search/made_up/model.hpp"

namespace search_replay::made_up {

/// The best makespan is the least of the table.
class PairTableModel final : public Model {
 public:
  /// `table` has a row for each config of the first kernel, with an entry for each config of the second one;
  /// an entry is empty where the pair is infeasible.
  PairTableModel(std::vector<Kernel> kernels, std::vector<std::vector<std::optional<Times>>> table);

  std::optional<Times> times(const Assignment& assignment) const override;
  double best_ns() const override;

 private:
  std::vector<std::vector<std::optional<Times>>> table_;
};

/// A transfer of 8 configs beside a kernel of 28 that waits for it, as in the recorded regions: 40 % of the
/// pairs are infeasible, one or two are within 1 % of the best one, and a fifth of the pairs take two values.
std::unique_ptr<Model> make_close_pairs(RandomNumbers& random);

/// Two kernels on two streams, each on 132, 100, 66 or 33 multiprocessors, which it has to itself. Which of
/// them starts first is a race wherever both do not fit side by side: such a pair takes two values, of which
/// the shorter one may be less than the best steady makespan. The defaults, which take the whole device each,
/// are steady and slow.
std::unique_ptr<Model> make_racing_streams(RandomNumbers& random);

}  // namespace search_replay::made_up
