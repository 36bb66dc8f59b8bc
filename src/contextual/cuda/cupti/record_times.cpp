#include "contextual/cuda/cupti/record_times.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

namespace contextual::cuda {
namespace {

bool has_time(const DeviceRecord& record) {
  return record.begin_ns > 0 && record.end_ns > record.begin_ns;
}

using Records = std::unordered_map<std::uint32_t, std::vector<const DeviceRecord*>>;

/// The spans of one call; false when they cannot be trusted.
bool add_spans(const LaunchedCall& call, const Records& records, std::vector<Span>& spans) {
  const auto found = records.find(call.correlation);
  if (found == records.end()) {
    return !call.kernel;  // an empty copy leaves no record
  }
  bool kernel_seen = false;
  for (const DeviceRecord* record : found->second) {
    if (!has_time(*record)) {
      return false;
    }
    kernel_seen = kernel_seen || record->kernel;
    spans.push_back({record->begin_ns, record->end_ns, record->device});
  }
  return kernel_seen || !call.kernel;
}

using Calls = std::unordered_map<std::int64_t, std::vector<const LaunchedCall*>>;

/// By launch, those of enclosed launches included.
Calls calls_of_launches(const std::vector<LaunchedCall>& all, std::span<const LaunchTiming> launches) {
  std::unordered_map<std::int64_t, std::int64_t> enclosing;
  for (const LaunchTiming& launch : launches) {
    enclosing[launch.note.begin] = enclosing_launch(launch.note);
  }
  Calls calls;
  for (const LaunchedCall& call : all) {
    // An enclosing launch has the lower number: this ends.
    std::int64_t launch = call.launch;
    for (auto found = enclosing.find(launch); found != enclosing.end(); found = enclosing.find(launch)) {
      calls[launch].push_back(&call);
      if (found->second >= launch) {
        break;
      }
      launch = found->second;
    }
  }
  return calls;
}

std::int64_t makespan(const IterationTiming& iteration, const CuptiSession::Taken& taken,
                      const Records& by_call) {
  if (iteration.note.begin == 0 || iteration.note.end == 0) {
    return 0;  // without a mark
  }
  const auto inside = [&](std::uint32_t correlation) {
    return correlation > iteration.note.begin && correlation <= iteration.note.end;
  };
  for (const LaunchedCall& call : taken.calls) {
    if (call.kernel && inside(call.correlation) && !by_call.contains(call.correlation)) {
      return 0;  // what is missing may have been the first or the last
    }
  }
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  for (const DeviceRecord& record : taken.records) {
    if (inside(record.correlation)) {
      if (!has_time(record)) {
        return 0;
      }
      begin = std::min(begin, record.begin_ns);
      end = std::max(end, record.end_ns);
    }
  }
  return end > begin ? end - begin : 0;
}

}  // namespace

void assemble(const CuptiSession::Taken& taken, std::span<LaunchTiming> launches,
              std::span<IterationTiming> iterations) {
  for (LaunchTiming& launch : launches) {
    launch.spans.clear();
  }
  for (IterationTiming& iteration : iterations) {
    iteration.makespan_ns = 0;
  }
  if (taken.lost) {
    return;
  }
  Records records;
  for (const DeviceRecord& record : taken.records) {
    records[record.correlation].push_back(&record);
  }
  const auto calls = calls_of_launches(taken.calls, launches);
  for (LaunchTiming& launch : launches) {
    const auto of_launch = calls.find(launch.note.begin);
    const bool sound =
        has_ended(launch.note) && of_launch != calls.end() &&
        std::all_of(of_launch->second.begin(), of_launch->second.end(),
                    [&](const LaunchedCall* call) { return add_spans(*call, records, launch.spans); });
    if (!sound) {
      launch.spans.clear();
    }
  }
  for (IterationTiming& iteration : iterations) {
    iteration.makespan_ns = makespan(iteration, taken, records);
  }
}

}  // namespace contextual::cuda
