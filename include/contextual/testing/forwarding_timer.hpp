#pragma once

/// \file
/// A timer that does what another one does, for those that watch or change a part of that.

#include <contextual/deadline.hpp>
#include <contextual/iterations.hpp>
#include <contextual/timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace contextual::testing {

/// Passes every call on to another timer. Derive from it, and override what shall be different.
class ForwardingTimer : public Timer {
 public:
  /// `timer` must not be null.
  explicit ForwardingTimer(std::unique_ptr<Timer> timer) : timer_(std::move(timer)) {}

  std::string_view name() const noexcept override { return timer_->name(); }
  std::string_view substitute_name() const noexcept override { return timer_->substitute_name(); }
  std::unique_ptr<Timer> make_substitute() override { return timer_->make_substitute(); }
  bool measures_devices() const noexcept override { return timer_->measures_devices(); }
  bool captures(const LaunchInfo& launch) noexcept override { return timer_->captures(launch); }
  void set_iterations(Iterations iterations) override { timer_->set_iterations(iterations); }
  void begin_batch(const BatchStart& start) override { timer_->begin_batch(start); }
  std::chrono::nanoseconds wanted_head_start() const noexcept override { return timer_->wanted_head_start(); }
  void begin_iteration(std::int64_t iteration, IterationNote& note) override {
    timer_->begin_iteration(iteration, note);
  }
  void end_iteration(std::int64_t iteration, IterationNote& note) override {
    timer_->end_iteration(iteration, note);
  }
  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    timer_->begin_launch(launch, note);
  }
  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    timer_->end_launch(launch, note);
  }
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    timer_->settle(launches, iterations, std::move(deadline));
  }
  std::optional<std::int64_t> bias_ns() const noexcept override { return timer_->bias_ns(); }
  BatchConditions conditions() override { return timer_->conditions(); }
  std::string loading_hazard() const override { return timer_->loading_hazard(); }

 private:
  std::unique_ptr<Timer> timer_;
};

}  // namespace contextual::testing
