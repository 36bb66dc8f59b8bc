#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/buffers/gpu_buffers.hpp"
#include "contextual/cuda/kernel/loading_hazard.hpp"
#include "contextual/cuda/timing/bench_gpus.hpp"
#include "contextual/cuda/timing/calibration.hpp"
#include "contextual/cuda/timing/device_monitor.hpp"
#include "contextual/cuda/timing/device_wait.hpp"
#include "contextual/cuda/timing/event_pool.hpp"
#include "contextual/cuda/timing/head_start.hpp"
#include "contextual/cuda/timing/iteration_join.hpp"
#include "contextual/cuda/timing/nvtx_ranges.hpp"
#include "contextual/cuda/timing/used_contexts.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/cuda/timer.hpp>
#include <contextual/detail/cuda/context_scope.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace contextual {
namespace {

using namespace cuda;

constexpr std::size_t first_pairs = 64;
constexpr double ns_per_ms = 1e6;

CUcontext context_or_null() noexcept {
  CUcontext context = nullptr;
  driver().cuCtxGetCurrent(&context);
  return context;
}

/// Events can be recorded on streams of their own context only, and a launcher may leave another one current.
CUcontext context_of(CUstream stream) noexcept {
  CUcontext context = nullptr;
  return stream != nullptr && driver().cuStreamGetCtx(stream, &context) == CUDA_SUCCESS ? context
                                                                                        : context_or_null();
}

std::int64_t ns_of(float time_ms) noexcept {
  return std::llround(static_cast<double>(time_ms) * ns_per_ms);
}

/// A note's end for a launch that has ended and has no time; 0 where it has not ended.
constexpr std::int64_t lost = -1;

/// A launch's note: 1 + pool * 2^32 + pair, so that 0 is a launch without events.
std::int64_t note_of(std::size_t pool, std::size_t pair) {
  return static_cast<std::int64_t>((pool << 32) | pair) + 1;
}

class EventTimer final : public Timer {
 public:
  EventTimer() {
    offer_gpus_to_bench();
    offer_gpu_buffers();
    if (CUcontext context = context_or_null()) {
      contexts_.add(context);
      pools_.push_back(std::make_unique<EventPool>(context, first_pairs));
    }
    bias_ns_ = event_bias_ns();
  }

  std::string_view name() const noexcept override { return "CUDA events"; }

  void set_iterations(Iterations iterations) override { join_.set(iterations); }
  void begin_batch(const BatchStart& start) override {
    head_start_.begin_batch(start, contexts_, /*captures_open=*/false);
  }
  std::chrono::nanoseconds wanted_head_start() const noexcept override { return head_start_.wanted(); }

  void begin_iteration(std::int64_t tuning_iteration, IterationNote& note) override {
    ranges_.begin_iteration(tuning_iteration);
    contexts_.add(context_or_null());
    head_start_.begin_iteration();
    note.begin = ++iteration_;
    if (iteration_ == 1) {  // of the batch: all of its times count from there
      for (const auto& pool : pools_) {
        pool->record_base();
      }
    }
  }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override {
    note.end = iteration_;
    head_start_.end_iteration();
    ranges_.end_iteration();
    join_.join(contexts_, /*captures_open=*/false);
  }

  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    ranges_.begin_launch(launch);
    note = {};
    const CUcontext context = context_of(static_cast<CUstream>(launch.stream));
    contexts_.add(context);
    join_.launched_on(launch.stream);
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      if (pools_[i]->context() == context) {
        const std::size_t pair = pools_[i]->take();
        if (pair != EventPool::none &&
            driver().cuEventRecord(pools_[i]->begin(pair), static_cast<CUstream>(launch.stream)) ==
                CUDA_SUCCESS) {
          note.begin = note_of(i, pair);
        }
        return;
      }
    }
  }
  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    note.end = lost;
    if (note.begin != 0) {
      const auto [pool, pair] = place_of(note.begin);
      if (driver().cuEventRecord(pools_[pool]->end(pair), static_cast<CUstream>(launch.stream)) ==
          CUDA_SUCCESS) {
        note.end = note.begin;
      }
    }
    ranges_.end_launch();
  }

  bool captures(const LaunchInfo& launch) noexcept override {
    const bool captured = stream_is_capturing(launch.stream);
    if (captured) {
      join_.saw_capture();
    }
    return captured;
  }

  void settle(std::span<LaunchTiming> launches, std::span<IterationTiming> iterations,
              Deadline deadline) override {
    monitor_.read(contexts_.all());
    waiter_.wait(contexts_.all(), std::move(deadline));
    std::map<std::int64_t, Span> extents;  // by tuning iteration
    std::set<std::int64_t> incomplete;
    for (LaunchTiming& launch : launches) {
      launch.spans.clear();
      if (launch.note.begin != 0 && launch.note.end == launch.note.begin) {
        add_span(launch, extents);
      }
      if (launch.spans.empty() && launch.note.end != 0) {
        incomplete.insert(launch.tuning_iteration);  // it may have been the first or the last
      }
    }
    for (IterationTiming& iteration : iterations) {
      const auto extent = extents.find(iteration.tuning_iteration);
      const bool known = extent != extents.end() && !incomplete.contains(iteration.tuning_iteration);
      iteration.begin_ns = known ? extent->second.begin_ns : 0;
      iteration.end_ns = known ? extent->second.end_ns : 0;
      iteration.makespan_ns = iteration.end_ns - iteration.begin_ns;
      iteration.other_spans.reset();  // events see launches only
    }
    head_start_.settled(iterations);
    start_over(iterations.size());
  }

  std::optional<std::int64_t> bias_ns() const noexcept override { return bias_ns_; }
  BatchConditions conditions() override {
    BatchConditions conditions = monitor_.conditions();
    join_.tell(conditions);
    return conditions;
  }
  std::string loading_hazard() const override { return cuda::loading_hazard(); }

 private:
  static std::pair<std::size_t, std::size_t> place_of(std::int64_t note) {
    const auto place = static_cast<std::size_t>(note - 1);
    return {place >> 32, place & 0xffffffffU};
  }

  void add_span(LaunchTiming& launch, std::map<std::int64_t, Span>& extents) {
    const auto [index, pair] = place_of(launch.note.begin);
    const EventPool& pool = *pools_[index];
    float since_base_ms = 0;
    float duration_ms = 0;
    if (driver().cuEventElapsedTime(&since_base_ms, pool.base(), pool.begin(pair)) != CUDA_SUCCESS ||
        driver().cuEventElapsedTime(&duration_ms, pool.begin(pair), pool.end(pair)) != CUDA_SUCCESS) {
      return;
    }
    const std::int64_t begin_ns = ns_of(since_base_ms);
    const std::int64_t end_ns = begin_ns + ns_of(duration_ms);
    launch.spans.push_back({begin_ns, end_ns, static_cast<int>(index)});
    const auto [extent, first] = extents.try_emplace(launch.tuning_iteration, launch.spans.back());
    if (!first) {
      extent->second.begin_ns = std::min(extent->second.begin_ns, begin_ns);
      extent->second.end_ns = std::max(extent->second.end_ns, end_ns);
    }
  }

  /// Pairs for as many launches as there were, and for a batch of usual length, in every context that was
  /// used.
  void start_over(std::size_t iterations) {
    iteration_ = 0;
    for (CUcontext context : contexts_.all()) {
      const detail::ContextScope scope(context);
      const auto pool = std::find_if(pools_.begin(), pools_.end(),
                                     [&](const auto& known) { return known->context() == context; });
      if (pool == pools_.end()) {
        pools_.push_back(std::make_unique<EventPool>(context, first_pairs));
      } else {
        const std::size_t asked = (*pool)->start_over();
        (*pool)->make(std::max(asked, usual_batch * (asked / std::max<std::size_t>(iterations, 1))));
      }
    }
  }

  UsedContexts contexts_;
  DeviceWaiter waiter_;
  DeviceMonitor monitor_;
  IterationJoin join_;
  HeadStart head_start_;
  NvtxRanges ranges_;
  std::optional<std::int64_t> bias_ns_;
  std::vector<std::unique_ptr<EventPool>> pools_;  ///< changed between batches only
  std::int64_t iteration_ = 0;                     ///< of the batch
};

}  // namespace

std::unique_ptr<Timer> cuda_event_timer() {
  return std::make_unique<EventTimer>();
}

}  // namespace contextual
