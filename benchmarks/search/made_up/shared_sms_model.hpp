#pragma once

/// \file
/// Kernels that run at the same time and share the device's multiprocessors.

#include "search/made_up/model.hpp"

namespace search_replay::made_up {

/// If the kernels together occupy more multiprocessors than the device has, all are slowed down by that
/// factor. The makespan is the longest kernel.
///
/// The best assignment: with a limit on the own times alone, it is best to let every kernel occupy as few
/// multiprocessors as the limit allows. So only the own times of all configs have to be tried as the limit.
class SharedSmsModel final : public Model {
 public:
  explicit SharedSmsModel(std::vector<Kernel> kernels);

  std::optional<Times> times(const Assignment& assignment) const override;
  double best_ns() const override;

 private:
  std::optional<int> fewest_sms(double limit_ns) const;
};

}  // namespace search_replay::made_up
