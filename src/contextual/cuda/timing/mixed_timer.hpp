#pragma once

/// \file
/// One timer for regions that work on devices and on the host.

#include <contextual/timer.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

namespace contextual::cuda {

/// Times launches of kernels that take a stream by a device timer, and other launches by the host's clock.
/// The `begin` of the device timer's notes on launches must not be negative.
///
/// `other_spans` is the device timer's. An iteration in which both worked has the longer of both makespans.
/// Since the two clocks cannot be compared, it begins when its device work does, and an iteration without
/// device work has no extent in a batch in which another iteration has device work.
class MixedTimer final : public Timer {
 public:
  explicit MixedTimer(std::unique_ptr<Timer> device);

  std::string_view name() const noexcept override { return device_->name(); }
  std::string_view substitute_name() const noexcept override { return device_->substitute_name(); }
  std::unique_ptr<Timer> make_substitute() override;
  bool captures(const LaunchInfo& launch) noexcept override { return device_->captures(launch); }
  void set_iterations(Iterations iterations) override { device_->set_iterations(iterations); }
  void begin_batch(const BatchStart& start) override { device_->begin_batch(start); }
  std::chrono::nanoseconds wanted_head_start() const noexcept override {
    return device_->wanted_head_start();
  }
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
  /// The launches of one of the two timers.
  struct Part {
    std::vector<LaunchTiming*> owners;
    std::vector<LaunchTiming> launches;
    std::set<std::int64_t> tuning_iterations;

    void add(LaunchTiming& launch);
    void give_back();
  };

  std::unique_ptr<Timer> device_;
  std::unique_ptr<Timer> host_;
  std::vector<IterationTiming> iterations_;  ///< the host timer's, for the batch; for the thread of `run`
};

}  // namespace contextual::cuda
