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

/// A note's end for what has ended and has no time; 0 where it has not ended.
constexpr std::int64_t lost = -1;
/// The end of an iteration whose work was not kept apart from that of others.
constexpr std::int64_t beside_others = -2;

/// A note on a launch or an iteration: 1 + pool * 2^32 + pair, so that 0 is one without events.
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

  void set_iterations(Iterations iterations) override {
    join_.set(iterations);
    marks_ = iterations == Iterations::joined;  // who sets nothing asks for launches only
  }
  void begin_batch(const BatchStart& start) override {
    head_start_.begin_batch(start, contexts_, /*captures_open=*/false);
    times_launches_ = start.launches_timed || !marks_;
  }
  std::chrono::nanoseconds wanted_head_start() const noexcept override { return head_start_.wanted(); }

  void begin_iteration(std::int64_t tuning_iteration, IterationNote& note) override {
    ranges_.begin_iteration(tuning_iteration);
    contexts_.add(context_or_null());
    join_.begin_iteration();
    head_start_.begin_iteration();
    if (!begun_) {  // all times of the batch count from there
      begun_ = true;
      for (const auto& pool : pools_) {
        pool->record_base();
      }
    }
    note = {};
    if (marks_ && !pools_.empty()) {  // after the join of the iteration before, as the region's work
      note.begin = begin_pair(0, pools_.front()->stream());
    }
  }
  void end_iteration(std::int64_t /*tuning_iteration*/, IterationNote& note) override {
    ranges_.end_iteration();
    marks_ = join_.join(contexts_, /*captures_open=*/false) && marks_;
    note.end = !join_.kept_apart()         ? beside_others
               : marks_ && note.begin != 0 ? end_pair(note.begin, pools_.front()->stream())
                                           : lost;
    head_start_.end_iteration();
  }

  void begin_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    ranges_.begin_launch(launch);
    note = {};
    const CUcontext context = context_of(static_cast<CUstream>(launch.stream));
    contexts_.add(context);
    join_.launched_on(launch.stream);
    for (std::size_t i = 0; times_launches_ && i < pools_.size(); ++i) {
      if (pools_[i]->context() == context) {
        note.begin = begin_pair(i, static_cast<CUstream>(launch.stream));
        return;
      }
    }
  }
  void end_launch(const LaunchInfo& launch, LaunchNote& note) noexcept override {
    note.end = note.begin != 0 ? end_pair(note.begin, static_cast<CUstream>(launch.stream)) : lost;
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
    const std::vector<CUcontext> contexts = contexts_.all();
    waiter_.wait(
        contexts, [&] { return join_.streams(contexts); }, std::move(deadline));
    std::map<std::int64_t, Span> extents;  // of launches, by tuning iteration
    std::set<std::int64_t> incomplete;
    for (LaunchTiming& launch : launches) {
      launch.spans.clear();
      launch.untimed = !times_launches_;
      if (const std::optional<Span> span = span_of(launch.note.begin, launch.note.end)) {
        launch.spans.push_back(*span);
        add_to(extents, launch);
      } else if (launch.note.end != 0) {
        incomplete.insert(launch.tuning_iteration);  // it may have been the first or the last
      }
    }
    for (IterationTiming& iteration : iterations) {
      std::optional<Span> extent = span_of(iteration.note.begin, iteration.note.end);
      const auto of_launches = extents.find(iteration.tuning_iteration);
      const bool apart = iteration.note.end != beside_others;
      if (!extent && apart && of_launches != extents.end() &&
          !incomplete.contains(iteration.tuning_iteration)) {
        extent = of_launches->second;
      }
      iteration.begin_ns = extent ? extent->begin_ns : 0;
      iteration.end_ns = extent ? extent->end_ns : 0;
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

  /// Returns the begin of a note, or 0.
  std::int64_t begin_pair(std::size_t pool, CUstream stream) noexcept {
    const std::size_t pair = pools_[pool]->take();
    const bool recorded =
        pair != EventPool::none && driver().cuEventRecord(pools_[pool]->begin(pair), stream) == CUDA_SUCCESS;
    return recorded ? note_of(pool, pair) : 0;
  }
  /// Returns the end of a note that begins with `begin`.
  std::int64_t end_pair(std::int64_t begin, CUstream stream) noexcept {
    const auto [pool, pair] = place_of(begin);
    return driver().cuEventRecord(pools_[pool]->end(pair), stream) == CUDA_SUCCESS ? begin : lost;
  }

  std::optional<Span> span_of(std::int64_t begin, std::int64_t end) const {
    if (begin == 0 || end != begin) {
      return std::nullopt;
    }
    const auto [index, pair] = place_of(begin);
    const EventPool& pool = *pools_[index];
    float since_base_ms = 0;
    float duration_ms = 0;
    if (driver().cuEventElapsedTime(&since_base_ms, pool.base(), pool.begin(pair)) != CUDA_SUCCESS ||
        driver().cuEventElapsedTime(&duration_ms, pool.begin(pair), pool.end(pair)) != CUDA_SUCCESS) {
      return std::nullopt;
    }
    const std::int64_t begin_ns = ns_of(since_base_ms);
    return Span{begin_ns, begin_ns + ns_of(duration_ms), static_cast<int>(index)};
  }

  static void add_to(std::map<std::int64_t, Span>& extents, const LaunchTiming& launch) {
    const Span& span = launch.spans.back();
    const auto [extent, first] = extents.try_emplace(launch.tuning_iteration, span);
    if (!first) {
      extent->second.begin_ns = std::min(extent->second.begin_ns, span.begin_ns);
      extent->second.end_ns = std::max(extent->second.end_ns, span.end_ns);
    }
  }

  /// Pairs for as many launches as there were, and for a batch of usual length, in every context that was
  /// used.
  void start_over(std::size_t iterations) {
    begun_ = false;
    times_launches_ = true;
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
  bool begun_ = false;                             ///< an iteration of the batch
  /// Iterations have events of their own, on the first pool's stream, which the joins make wait as any other.
  bool marks_ = false;
  bool times_launches_ = true;  ///< changed between batches only
};

}  // namespace

std::unique_ptr<Timer> cuda_event_timer() {
  return std::make_unique<EventTimer>();
}

}  // namespace contextual
