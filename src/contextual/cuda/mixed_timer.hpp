#pragma once

/// \file
/// One timer for regions that work on devices and on the host.

#include <contextual/timer.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace contextual::cuda {

/// Launches of kernels that take a stream by a device timer, the others by the host's clock. The device
/// timer's notes of launches begin at 0 or above.
class MixedTimer final : public Timer {
 public:
  explicit MixedTimer(std::unique_ptr<Timer> device);

  std::string_view name() const noexcept override { return device_->name(); }
  bool captures(const LaunchInfo& launch) noexcept override { return device_->captures(launch); }
  void begin_iteration(std::int64_t tuning_iteration, IterationNote& note) override;
  void end_iteration(std::int64_t tuning_iteration, IterationNote& note) override;
  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override;
  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override;
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override;
  std::optional<std::int64_t> bias_ns() const noexcept override { return device_->bias_ns(); }
  BatchConditions conditions() override { return device_->conditions(); }
  std::string loading_hazard() const override { return device_->loading_hazard(); }

 private:
  struct HostIteration {
    std::int64_t tuning_iteration = 0;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };

  std::unique_ptr<Timer> device_;
  std::vector<HostIteration> iterations_;  ///< of the batch; by the thread of `run`
};

}  // namespace contextual::cuda
