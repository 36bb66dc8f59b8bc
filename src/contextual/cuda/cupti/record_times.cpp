#include "contextual/cuda/cupti/record_times.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace contextual::cuda {
namespace {

bool has_time(const DeviceRecord& record) {
  return record.begin_ns > 0 && record.end_ns > record.begin_ns;
}

/// The driver call was made in the iteration.
bool inside(const IterationTiming& iteration, std::uint32_t correlation) {
  return correlation > iteration.note.begin && correlation <= iteration.note.end;
}

using Records = std::unordered_map<std::uint32_t, std::vector<const DeviceRecord*>>;

/// Records that name no call: of kernels in the body of a graph's conditional node. They name the graph, but
/// not which of its launches.
class Nameless {
 public:
  explicit Nameless(const std::vector<DeviceRecord>& records) {
    std::unordered_set<std::uint32_t> named;
    for (const DeviceRecord& record : records) {
      (record.correlation == 0 ? graphs_ : named).insert(record.graph);
    }
    anywhere_ = std::any_of(graphs_.begin(), graphs_.end(),
                            [&](std::uint32_t graph) { return graph == 0 || !named.contains(graph); });
  }

  /// Some belong to a graph that has no other records, so to a launch that has none.
  bool anywhere() const { return anywhere_; }
  /// Others may belong to the same launch of a graph as this record.
  bool beside(const DeviceRecord& record) const {
    return record.graph != 0 && (graphs_.contains(record.graph) || graphs_.contains(0));
  }

 private:
  std::unordered_set<std::uint32_t> graphs_;
  bool anywhere_ = false;
};

/// The spans of one call; false when they cannot be trusted.
bool add_spans(const LaunchedCall& call, const Records& records, const Nameless& nameless,
               std::vector<Span>& spans) {
  const auto found = records.find(call.correlation);
  if (found == records.end()) {  // an empty copy leaves none
    return !call.kernel && (call.order || !nameless.anywhere());
  }
  bool kernel_seen = false;
  for (const DeviceRecord* record : found->second) {
    if (!has_time(*record) || nameless.beside(*record)) {
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

/// The calls that belong to launches, as correlation ids.
std::unordered_set<std::uint32_t> attributed(const Calls& calls) {
  std::unordered_set<std::uint32_t> correlations;
  for (const auto& [launch, of_launch] : calls) {
    for (const LaunchedCall* call : of_launch) {
      correlations.insert(call->correlation);
    }
  }
  return correlations;
}

void forget(IterationTiming& iteration) {
  iteration.makespan_ns = iteration.begin_ns = iteration.end_ns = 0;
  iteration.other_spans.reset();
}

/// Every record of the iteration is there and has a time, as far as its calls tell.
bool complete(const IterationTiming& iteration, const CuptiSession::Taken& taken, const Records& by_call,
              const Nameless& nameless) {
  if (iteration.note.begin == 0 || iteration.note.end == 0 || nameless.anywhere()) {
    return false;  // without a mark, or the records may be of any
  }
  // What is missing may have been the first or the last, and may overlap anything.
  return std::none_of(taken.calls.begin(), taken.calls.end(),
                      [&](const LaunchedCall& call) {
                        return call.kernel && inside(iteration, call.correlation) &&
                               !by_call.contains(call.correlation);
                      }) &&
         std::all_of(taken.records.begin(), taken.records.end(), [&](const DeviceRecord& record) {
           return !inside(iteration, record.correlation) || (has_time(record) && !nameless.beside(record));
         });
}

void fill(IterationTiming& iteration, const std::vector<DeviceRecord>& records,
          const std::unordered_set<std::uint32_t>& of_launches) {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = 0;
  std::vector<Span>& others = iteration.other_spans.emplace();
  for (const DeviceRecord& record : records) {
    if (inside(iteration, record.correlation)) {
      begin_ns = std::min(begin_ns, record.begin_ns);
      end_ns = std::max(end_ns, record.end_ns);
      if (!of_launches.contains(record.correlation)) {
        others.push_back({record.begin_ns, record.end_ns, record.device});
      }
    }
  }
  if (end_ns > 0) {
    iteration.begin_ns = begin_ns;
    iteration.end_ns = end_ns;
    iteration.makespan_ns = end_ns - begin_ns;
  }
}

}  // namespace

void assemble(const CuptiSession::Taken& taken, std::span<LaunchTiming> launches,
              std::span<IterationTiming> iterations) {
  for (LaunchTiming& launch : launches) {
    launch.spans.clear();
    launch.idle = false;
  }
  for (IterationTiming& iteration : iterations) {
    forget(iteration);
  }
  if (taken.lost) {
    return;
  }
  Records records;
  for (const DeviceRecord& record : taken.records) {
    records[record.correlation].push_back(&record);
  }
  const Nameless nameless(taken.records);
  const auto calls = calls_of_launches(taken.calls, launches);
  for (LaunchTiming& launch : launches) {
    const auto of_launch = calls.find(launch.note.begin);
    const bool sound =
        has_ended(launch.note) && of_launch != calls.end() &&
        std::all_of(of_launch->second.begin(), of_launch->second.end(), [&](const LaunchedCall* call) {
          return add_spans(*call, records, nameless, launch.spans);
        });
    if (!sound) {
      launch.spans.clear();
    }
    launch.idle = sound && std::all_of(of_launch->second.begin(), of_launch->second.end(),
                                       [](const LaunchedCall* call) { return call->order; });
  }
  const std::unordered_set<std::uint32_t> of_launches = attributed(calls);
  for (IterationTiming& iteration : iterations) {
    if (complete(iteration, taken, records, nameless)) {
      fill(iteration, taken.records, of_launches);
    }
  }
}

}  // namespace contextual::cuda
