#pragma once

/// \file
/// A made-up region that answers runs.

#include "search/lateness.hpp"
#include "search/made_up/kind.hpp"
#include "search/random_numbers.hpp"
#include "search/replayed_region.hpp"

#include <cstdint>
#include <memory>

namespace search_replay::made_up {

/// Each seed makes another region of a kind. Its truth is the mean without noise; a sample has a noise, which
/// is the region's own, and the delays of a recorded region.
class MadeUpRegion final : public ReplayedRegion {
 public:
  MadeUpRegion(const Kind& kind, std::uint64_t seed);

  const std::vector<ReplayedProblem>& problems() const override { return problems_; }
  std::int64_t joins_after_runs(std::size_t problem) const override;
  std::optional<Sample> run(const Assignment& assignment) override;
  void exchange() override { lateness_.exchange(); }
  std::int64_t runs() const override { return runs_; }
  std::optional<double> truth_ns(const Assignment& assignment) const override;
  double best_ns() const override { return best_ns_; }

 private:
  double drift() const;
  std::int64_t measured(double time_ns);

  RandomNumbers random_;
  const Kind& kind_;
  std::unique_ptr<Model> model_;
  std::vector<ReplayedProblem> problems_;
  double best_ns_;
  double noise_;  ///< standard deviation of a sample, relative
  Lateness lateness_;
  std::int64_t runs_ = 0;
};

}  // namespace search_replay::made_up
