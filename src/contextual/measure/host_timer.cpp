#include <contextual/timer.hpp>

#include <chrono>

namespace contextual {
namespace {

std::int64_t now_ns() noexcept {
  const auto since_epoch = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

/// Notes are time stamps in ns, kept by the caller: no state, so nothing to lock and nothing to wait for.
class HostTimer final : public Timer {
 public:
  std::string_view name() const noexcept override { return "host clock"; }
  bool measures_devices() const noexcept override { return false; }

  void begin_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override {
    note.begin = now_ns();
  }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override { note.end = now_ns(); }

  void begin_launch(const LaunchInfo& /*launch*/, LaunchNote& note) noexcept override {
    note.begin = now_ns();
  }
  void end_launch(const LaunchInfo& /*launch*/, LaunchNote& note) noexcept override { note.end = now_ns(); }

  /// Host work is done when its call returns. A launch that never ended (end is 0) has no time.
  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline /*deadline*/) override {
    for (LaunchTiming& launch : launches) {
      launch.spans.clear();
      if (launch.note.end > launch.note.begin) {
        launch.spans.push_back({launch.note.begin, launch.note.end, host_device});
      }
    }
    for (IterationTiming& iteration : iterations) {
      const bool ended = iteration.note.end > iteration.note.begin;
      iteration.begin_ns = ended ? iteration.note.begin : 0;
      iteration.end_ns = ended ? iteration.note.end : 0;
      iteration.makespan_ns = iteration.end_ns - iteration.begin_ns;
      iteration.other_spans.reset();
    }
  }

 private:
  static constexpr int host_device = -1;
};

}  // namespace

std::unique_ptr<Timer> host_timer() {
  return std::make_unique<HostTimer>();
}

}  // namespace contextual
