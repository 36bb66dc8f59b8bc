#include "contextual/cuda/canary.hpp"
#include "contextual/cuda/cupti_session.hpp"
#include "contextual/cuda/device_wait.hpp"
#include "contextual/cuda/driver.hpp"
#include "contextual/cuda/record_times.hpp"
#include "contextual/cuda/used_contexts.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>

#include <atomic>

namespace contextual {
namespace {

using namespace cuda;

class CuptiTimer final : public Timer {
 public:
  CuptiTimer() : session_(CuptiSession::acquire()) { check_by_canary(*session_); }

  std::string_view name() const noexcept override { return "CUPTI"; }

  void begin_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override {
    use_current_context();
    note.begin = session_->last_correlation();
  }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override {
    note.end = session_->last_correlation();
  }

  void begin_launch(const LaunchInfo& /*launch*/, LaunchNote& note) noexcept override {
    use_current_context();
    note.begin = next_launch_.fetch_add(1, std::memory_order_relaxed);
    CuptiSession::set_launch(note.begin);
  }
  void end_launch(const LaunchInfo& /*launch*/, LaunchNote& /*note*/) noexcept override {
    CuptiSession::set_launch(-1);
  }

  bool captures(const LaunchInfo& launch) noexcept override { return stream_is_capturing(launch.stream); }

  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    wait_for(contexts_.list(), deadline);
    assemble(session_->take(), launches, iterations);
  }

 private:
  void use_current_context() noexcept {
    CUcontext context = nullptr;
    if (driver().cuCtxGetCurrent(&context) == CUDA_SUCCESS) {
      contexts_.add(context);
    }
  }

  std::shared_ptr<CuptiSession> session_;
  UsedContexts contexts_;
  std::atomic<std::int64_t> next_launch_{0};
};

}  // namespace

std::unique_ptr<Timer> cuda_cupti_timer() {
  return std::make_unique<CuptiTimer>();
}

}  // namespace contextual
