#include "contextual/tuning/timelines.hpp"

#include "contextual/launch/problem_slot.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace contextual::tuning {

using detail::IterationTimeline;
using detail::LaunchSpan;

namespace {

bool has_length(const Span& span) {
  return span.end_ns > span.begin_ns;
}

/// The first begin and the last end of work on one clock.
struct Extent {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = std::numeric_limits<std::int64_t>::min();

  void add(std::int64_t begin, std::int64_t end) {
    begin_ns = std::min(begin_ns, begin);
    end_ns = std::max(end_ns, end);
  }
  bool any() const { return end_ns > begin_ns; }
};

bool on_host(const Span& span) {
  return span.device < 0;
}

Span moved(Span span, std::int64_t by_ns) {
  span.begin_ns -= by_ns;
  span.end_ns -= by_ns;
  return span;
}

/// Collects the work of one iteration in absolute times, and makes them relative at the end.
class Builder {
 public:
  void add(const detail::LaunchRecord& record, const Span& span) {
    if (has_length(span)) {
      launches_.push_back({record.slot->index, record.config_id, span});
      (on_host(span) ? host_ : devices_).add(span.begin_ns, span.end_ns);
    }
  }

  IterationTimeline build(const IterationTiming& timing) {
    IterationTimeline timeline;
    add_others(timing, timeline);
    Extent& clock = devices_.any() ? devices_ : host_;
    if (launches_.empty() || !clock.any()) {
      return {};
    }
    if (timing.end_ns > timing.begin_ns) {
      clock.add(timing.begin_ns, timing.end_ns);
    }
    timeline.begin_ns = clock.begin_ns;
    timeline.end_ns = clock.end_ns;
    if (host_.any()) {
      timeline.end_ns = std::max(timeline.end_ns, clock.begin_ns + host_.end_ns - host_.begin_ns);
    }
    for (LaunchSpan& launch : launches_) {
      launch.span = moved(launch.span, on_host(launch.span) ? host_.begin_ns : clock.begin_ns);
    }
    timeline.launches = std::move(launches_);
    if (timeline.others) {
      for (Span& span : *timeline.others) {
        span = moved(span, clock.begin_ns);
      }
    }
    cut(timeline);
    return timeline;
  }

 private:
  void add_others(const IterationTiming& timing, IterationTimeline& timeline) {
    if (!timing.other_spans) {
      return;
    }
    timeline.others.emplace();
    for (const Span& span : *timing.other_spans) {
      if (has_length(span) && !on_host(span)) {
        timeline.others->push_back(span);
        devices_.add(span.begin_ns, span.end_ns);
      }
    }
  }

  /// The earliest ones stay.
  static void cut(IterationTimeline& timeline) {
    std::stable_sort(
        timeline.launches.begin(), timeline.launches.end(),
        [](const LaunchSpan& a, const LaunchSpan& b) { return a.span.begin_ns < b.span.begin_ns; });
    const std::size_t launches = std::min(timeline.launches.size(), most_timeline_spans);
    timeline.left_out_count = timeline.launches.size() - launches;
    timeline.launches.resize(launches);
    if (timeline.others) {
      std::stable_sort(timeline.others->begin(), timeline.others->end(),
                       [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
      const std::size_t others = std::min(timeline.others->size(), most_timeline_spans - launches);
      timeline.left_out_count += timeline.others->size() - others;
      timeline.others->resize(others);
    }
  }

  std::vector<LaunchSpan> launches_;
  Extent devices_;
  Extent host_;
};

}  // namespace

std::vector<IterationTimeline> timelines_of(std::span<detail::LaunchRecord* const> records,
                                            std::span<const LaunchTiming> timings,
                                            std::span<const IterationTiming> iterations) {
  std::vector<Builder> builders(iterations.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i]->batch_iteration < builders.size()) {
      for (const Span& span : timings[i].spans) {
        builders[records[i]->batch_iteration].add(*records[i], span);
      }
    }
  }
  std::vector<IterationTimeline> timelines;
  timelines.reserve(iterations.size());
  for (std::size_t i = 0; i < iterations.size(); ++i) {
    timelines.push_back(builders[i].build(iterations[i]));
  }
  return timelines;
}

}  // namespace contextual::tuning
