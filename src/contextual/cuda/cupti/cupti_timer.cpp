#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/buffers/gpu_buffers.hpp"
#include "contextual/cuda/cupti/cupti_session.hpp"
#include "contextual/cuda/cupti/record_times.hpp"
#include "contextual/cuda/kernel/loading_hazard.hpp"
#include "contextual/cuda/timing/bench_gpus.hpp"
#include "contextual/cuda/timing/calibration.hpp"
#include "contextual/cuda/timing/canary.hpp"
#include "contextual/cuda/timing/device_monitor.hpp"
#include "contextual/cuda/timing/device_wait.hpp"
#include "contextual/cuda/timing/head_start.hpp"
#include "contextual/cuda/timing/iteration_join.hpp"
#include "contextual/cuda/timing/nvtx_ranges.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>

#include <atomic>
#include <utility>

namespace contextual {
namespace {

using namespace cuda;

/// No other launch of the process has it, and the thread's next one is larger. Threads take numbers by the
/// dozen, for CallList's reason.
std::int64_t launch_number() noexcept {
  constexpr std::int64_t at_once = 1024;
  static std::atomic<std::int64_t> not_taken{0};
  constinit thread_local std::int64_t next __attribute__((tls_model("initial-exec"))) = 0;
  constinit thread_local std::int64_t end __attribute__((tls_model("initial-exec"))) = 0;
  if (next == end) {
    next = not_taken.fetch_add(at_once, std::memory_order_relaxed);
    end = next + at_once;
  }
  return next++;
}

class CuptiTimer final : public Timer {
 public:
  explicit CuptiTimer(const CuptiTimerOptions& options) : session_(session()) {
    const RelaxedCaptures relaxed;
    offer_gpus_to_bench();
    offer_gpu_buffers();
    if (!options.detach) {
      session_->keep_attached();
    }
    check_by_canary(*session_);
    bias_ns_ = cupti_bias_ns(*session_);
    session_->contexts().clear();  // the canary's is none of the region's
  }
  ~CuptiTimer() override {
    if (waiter_.gave_up()) {
      CuptiSession::leave_open(std::move(session_));
    }
  }

  std::string_view name() const noexcept override { return "CUPTI"; }
  std::string_view substitute_name() const noexcept override { return "CUDA events"; }
  std::unique_ptr<Timer> make_substitute() override { return cuda_event_timer(); }

  void set_iterations(Iterations iterations) override { join_.set(iterations); }
  void begin_batch(const BatchStart& start) override {
    head_start_.begin_batch(start, session_->contexts(), session_->own_captures_open());
  }
  std::chrono::nanoseconds wanted_head_start() const noexcept override { return head_start_.wanted(); }

  void begin_iteration(std::int64_t tuning_iteration, IterationNote& note) override {
    ranges_.begin_iteration(tuning_iteration);
    use_current_context();
    join_.begin_iteration();
    head_start_.begin_iteration();
    note.begin = session_->mark();
  }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override {
    note.end = session_->mark();
    head_start_.end_iteration();
    ranges_.end_iteration();
    join_.join(session_->contexts(), session_->own_captures_open());
    note.end = join_.kept_apart() ? note.end : 0;  // without a mark it has no makespan
  }

  [[gnu::hot]] void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    ranges_.begin_launch(launch);
    join_.launched_on(launch.stream);
    const std::int64_t number = launch_number();
    note = begun_note(number, CuptiSession::set_launch(number));
  }
  [[gnu::hot]] void end_launch(const LaunchInfo& /*launch*/, LaunchNote& note) noexcept override {
    CuptiSession::set_launch(enclosing_launch(note));
    note = ended_note(note);
    ranges_.end_launch();
  }

  /// The driver is asked only where a capture can be under way: beside CUPTI each of its calls costs the
  /// more.
  [[gnu::hot]] bool captures(const LaunchInfo& launch) noexcept override {
    if (settled_.load(std::memory_order_relaxed) && !session_->captures_open()) [[likely]] {
      return false;
    }
    const bool captured = stream_is_capturing(launch.stream);
    if (captured && !session_->captures_open()) {
      join_.saw_capture();  // it began before the session, which cannot tell when it ends
    }
    return captured;
  }

  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    monitor_.read(session_->contexts().all());
    const std::vector<CUcontext> contexts = session_->contexts().all();
    waiter_.wait(
        contexts, [&] { return join_.streams(contexts); }, std::move(deadline));
    assemble(session_->take(), launches, iterations);
    head_start_.settled(iterations);
    settled_.store(true, std::memory_order_relaxed);
  }

  std::optional<std::int64_t> bias_ns() const noexcept override { return bias_ns_; }
  BatchConditions conditions() override {
    BatchConditions conditions = monitor_.conditions();
    join_.tell(conditions);
    return conditions;
  }
  std::string loading_hazard() const override { return cuda::loading_hazard(); }

 private:
  /// The threads that load what is needed are none of a session's, which sees no load before it begins.
  static std::shared_ptr<CuptiSession> session() {
    load_canary();
    return CuptiSession::acquire();
  }
  void use_current_context() noexcept {
    CUcontext context = nullptr;
    if (driver().cuCtxGetCurrent(&context) == CUDA_SUCCESS) {
      session_->contexts().add(context);
    }
  }

  // What launches read comes first.
  std::shared_ptr<CuptiSession> session_;
  /// A capture that began before the run would have kept that from happening.
  std::atomic<bool> settled_{false};
  NvtxRanges ranges_;
  IterationJoin join_;
  HeadStart head_start_;
  DeviceWaiter waiter_;
  DeviceMonitor monitor_;
  std::optional<std::int64_t> bias_ns_;
};

}  // namespace

std::unique_ptr<Timer> cuda_cupti_timer_with(const CuptiTimerOptions& options) {
  return std::make_unique<CuptiTimer>(options);
}

std::unique_ptr<Timer> cuda_cupti_timer() {
  return cuda_cupti_timer_with({});
}

bool detach_cupti() noexcept {
  return CuptiSession::detach();
}

}  // namespace contextual
