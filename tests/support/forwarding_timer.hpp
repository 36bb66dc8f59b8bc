#pragma once

/// \file
/// A timer that does what another one does, for tests that change a part of that.

#include <contextual/timer.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace contextual::test {

class ForwardingTimer : public Timer {
 public:
  explicit ForwardingTimer(std::unique_ptr<Timer> timer) : timer_(std::move(timer)) {}

  std::string_view name() const noexcept override { return timer_->name(); }
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

 private:
  std::unique_ptr<Timer> timer_;
};

}  // namespace contextual::test
