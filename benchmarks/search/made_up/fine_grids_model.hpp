#pragma once

/// \file
/// Two kernels beside each other whose best numbers of multiprocessors lie between those of a coarse grid.

#include "search/made_up/model.hpp"

namespace search_replay::made_up {

/// Both kernels have 12 tiles, by 4 coarse and 29 fine numbers of multiprocessors. A pair that needs more
/// multiprocessors together than the device has is infeasible, the defaults among them; the makespan is the
/// longer own time. So the multiprocessors have to be divided in the ratio of the kernels' work.
///
/// The best makespan is that of the best feasible pair of all numbers, of which all are tried, also where a
/// search is given the coarse ones only.
class FineGridsModel final : public Model {
 public:
  /// What a search is given of the fine numbers.
  enum class FineNumbers { none, as_refinements, as_all_others };

  FineGridsModel(FineNumbers fine, RandomNumbers& random);

  std::optional<Times> times(const Assignment& assignment) const override;
  double best_ns() const override { return best_ns_; }

 private:
  FineGridsModel(FineNumbers fine, std::vector<Kernel> all);

  double best_ns_;
};

}  // namespace search_replay::made_up
