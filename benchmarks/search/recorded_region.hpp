#pragma once

/// \file
/// A recorded region that answers runs.

#include "search/lateness.hpp"
#include "search/random_numbers.hpp"
#include "search/recording.hpp"
#include "search/replayed_region.hpp"

#include <cstdint>
#include <memory>

namespace search_replay {

/// A run draws one of the samples that its assignment gave in one pass. The passes come one after the other,
/// so that a device that was hot when it was recorded stays hot. A run right after a change of configs or an
/// exchange is late; only the makespan and the last kernel, which waits for the others, show that.
class RecordedRegion final : public ReplayedRegion {
 public:
  RecordedRegion(std::shared_ptr<const Recording> recording, std::uint64_t seed);

  const std::vector<ReplayedProblem>& problems() const override { return recording_->problems(); }
  std::optional<Sample> run(const Assignment& assignment) override;
  void exchange() override { lateness_.exchange(); }
  std::int64_t runs() const override { return runs_; }
  std::optional<double> truth_ns(const Assignment& assignment) const override {
    return recording_->truth_ns(assignment);
  }
  double best_ns() const override { return recording_->best_ns(); }

 private:
  std::shared_ptr<const Recording> recording_;
  RandomNumbers random_;
  Lateness lateness_;
  std::int64_t runs_ = 0;
};

}  // namespace search_replay
