#pragma once

/// \file
/// Kernels of which some configs help only together, such as two that agree on the layout between them.

#include "search/made_up/model.hpp"

namespace search_replay::made_up {

/// Problems 0 and 1, 2 and 3, and so on form pairs, one after the other; the makespan is the sum of all own
/// times. Some configs of each kernel are marked. If both configs of a pair are marked, both take 20 % less
/// time; if one is, both take 5 % more, so a search that changes one problem at a time sees no gain.
///
/// The best makespan is the sum of the best of each pair, of which all are tried.
class HelpingPairsModel final : public Model {
 public:
  HelpingPairsModel(std::vector<Kernel> kernels, RandomNumbers& random);

  std::optional<Times> times(const Assignment& assignment) const override;
  double best_ns() const override;

 private:
  double factor(std::size_t first_problem, std::size_t first_id, std::size_t second_id) const;
  double best_of_pair_ns(std::size_t first_problem) const;

  std::vector<std::vector<bool>> marked_;  ///< by problem and config; never a default
};

}  // namespace search_replay::made_up
