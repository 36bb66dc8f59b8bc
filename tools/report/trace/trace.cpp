#include "report/trace/trace.hpp"

#include "report/format/texts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::log_report {
namespace {

/// The last one counts, as everywhere where a line is there twice.
const Timeline* timeline_of(const RankRun& rank, TimelineSide side) {
  const auto found = std::find_if(
      rank.timelines.rbegin(), rank.timelines.rend(),
      [&](const Timeline& timeline) { return timeline.side == side && !timeline.launches.empty(); });
  return found == rank.timelines.rend() ? nullptr : &*found;
}

std::int64_t first_launch_ns(const Timeline& timeline) {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  for (const TimelineLaunch& launch : timeline.launches) {
    begin_ns = std::min(begin_ns, launch.begin_ns);
  }
  return begin_ns;
}

const TimelineSpan* handshake_of(const Timeline& timeline) {
  const TimelineSpan* handshake = nullptr;
  const std::int64_t first_ns = first_launch_ns(timeline);
  for (const TimelineSpan& span : timeline.others) {
    const bool before = span.begin_ns < span.end_ns && span.end_ns <= first_ns;
    if (before && (handshake == nullptr || span.end_ns > handshake->end_ns)) {
      handshake = &span;
    }
  }
  return handshake;
}

double anchor_of(const RankTimeline& rank) {
  return static_cast<double>(rank.handshake != nullptr ? rank.handshake->end_ns
                                                       : first_launch_ns(*rank.timeline));
}

/// All ranks or none are aligned at a handshake.
void align(AlignedTimeline& aligned) {
  const bool all = std::all_of(aligned.ranks.begin(), aligned.ranks.end(), [](const RankTimeline& rank) {
    return handshake_of(*rank.timeline) != nullptr;
  });
  for (RankTimeline& rank : aligned.ranks) {
    rank.handshake = all && aligned.ranks.size() > 1 ? handshake_of(*rank.timeline) : nullptr;
    aligned.anchor_ns = std::max(aligned.anchor_ns, anchor_of(rank));
  }
  for (RankTimeline& rank : aligned.ranks) {
    rank.shift_ns = aligned.anchor_ns - anchor_of(rank);
  }
}

std::string alignment_text(const AlignedTimeline& timeline) {
  if (timeline.ranks.size() == 1) {
    return "1 rank, so there is nothing to align";
  }
  const std::optional<double> error_ns = timeline.error_ns();
  return count_text(timeline.ranks.size(), "rank") + ", aligned at the " +
         (error_ns ? "end of the handshake to within " + duration_text(*error_ns)
                   : "begin of the first tunable launch, for want of a handshake; nothing bounds the error");
}

using Json = nlohmann::ordered_json;

constexpr double ns_per_us = 1000;

/// Collects events of the Trace Event Format, which Perfetto and chrome://tracing read. A process is what the
/// viewer shows as a group, a thread is a row of it; both are shown in the order in which they are added.
class TraceEvents {
 public:
  std::size_t add_process(const std::string& name) {
    add_name("process", ++processes_, 0, name);
    return processes_;
  }

  std::size_t add_thread(std::size_t process, const std::string& name) {
    add_name("thread", process, ++threads_, name);  // no two processes share a number
    return threads_;
  }

  /// One that overlaps another one of its thread must lie within it.
  void add_slice(std::size_t process, std::size_t thread, const std::string& name, double begin_ns,
                 double end_ns, Json details) {
    add("X", process, thread, name,
        {{"ts", begin_ns / ns_per_us},
         {"dur", (end_ns - begin_ns) / ns_per_us},
         {"args", std::move(details)}});
  }

  /// Without length; the viewer draws it across the process.
  void add_mark(std::size_t process, const std::string& name, double at_ns, Json details) {
    add("i", process, 0, name, {{"s", "p"}, {"ts", at_ns / ns_per_us}, {"args", std::move(details)}});
  }

  Json take() { return std::move(events_); }

 private:
  void add(const char* kind, std::size_t process, std::size_t thread, const std::string& name,
           const Json& fields) {
    Json event{{"ph", kind}, {"name", name}, {"pid", process}, {"tid", thread}};
    event.update(fields);
    events_.push_back(std::move(event));
  }

  void add_name(const std::string& what, std::size_t process, std::size_t thread, const std::string& name) {
    add("M", process, thread, what + "_name", {{"args", {{"name", name}}}});
    add("M", process, thread, what + "_sort_index",
        {{"args", {{"sort_index", thread == 0 ? process : thread}}}});
  }

  Json events_ = Json::array();
  std::size_t processes_ = 0;
  std::size_t threads_ = 0;
};

struct Slice {
  double begin_ns = 0;
  double end_ns = 0;
  std::string name{};
  Json details{};
};

std::string device_text(std::int64_t device) {
  return device < 0 ? "host" : "GPU " + std::to_string(device);
}

/// The work of one rank in rows, in the order of their first slices. A row is split where slices overlap.
class RankRows {
 public:
  explicit RankRows(const RankTimeline& rank) : rank_(rank) {
    for (const RankLaunch& launch : rank.rank->launches) {  // a timeline does not repeat the parameters
      configs_.try_emplace({launch.problem(), launch.config->id}, launch.config->values.all);
    }
    for (const TimelineLaunch& launch : rank.timeline->launches) {
      add(launch);
    }
    for (const TimelineSpan& span : rank.timeline->others) {
      add(nullptr, span, "other work", &span == rank_.handshake ? "handshake" : "other work",
          Json::object({{"device", device_text(span.device)}}));
    }
  }

  void write(TraceEvents& events, std::size_t process) {
    for (auto& [name, slices] : rows_) {
      std::stable_sort(slices.begin(), slices.end(),
                       [](const Slice& a, const Slice& b) { return a.begin_ns < b.begin_ns; });
      std::vector<std::pair<double, std::size_t>> lanes;  // until when each is busy, and its thread
      for (Slice& slice : slices) {
        auto lane = std::find_if(lanes.begin(), lanes.end(),
                                 [&](const auto& l) { return l.first <= slice.begin_ns; });
        if (lane == lanes.end()) {
          const std::string number = lanes.empty() ? "" : " #" + std::to_string(lanes.size() + 1);
          lane = lanes.insert(lanes.end(), {0, events.add_thread(process, name + number)});
        }
        lane->first = slice.end_ns;
        events.add_slice(process, lane->second, slice.name, slice.begin_ns, slice.end_ns,
                         std::move(slice.details));
      }
    }
  }

 private:
  void add(const TimelineLaunch& launch) {
    if (launch.problem != nullptr) {
      const std::string kernel(launch.problem->kernel);
      const std::string key(launch.problem->key);
      const auto config = configs_.find({launch.problem, launch.config_id});
      add(launch.problem, launch, kernel + " " + key, kernel + " config-" + std::to_string(launch.config_id),
          {{"kernel", kernel},
           {"key", key},
           {"config_id", launch.config_id},
           {"config", config == configs_.end() ? "" : config->second},
           {"device", device_text(launch.device)}});
    }
  }

  template <typename Interval>
  void add(const ProblemName* problem, const Interval& interval, const std::string& row,
           const std::string& name, Json details) {
    const auto [found, is_new] = index_.try_emplace({problem, interval.device}, rows_.size());
    if (is_new) {
      rows_.push_back({row + ", " + device_text(interval.device), {}});
    }
    if (interval.begin_ns < interval.end_ns) {
      rows_[found->second].second.push_back({static_cast<double>(interval.begin_ns) + rank_.shift_ns,
                                             static_cast<double>(interval.end_ns) + rank_.shift_ns, name,
                                             std::move(details)});
    }
  }

  const RankTimeline& rank_;
  std::map<std::pair<const ProblemName*, std::int64_t>, std::string_view> configs_;
  std::vector<std::pair<std::string, std::vector<Slice>>> rows_;
  std::map<std::pair<const ProblemName*, std::int64_t>, std::size_t> index_;
};

void add_rank(TraceEvents& events, const AlignedTimeline& aligned, const RankTimeline& rank) {
  const std::string side(enum_text(aligned.side));
  const std::size_t process = events.add_process("rank " + std::to_string(rank.rank->rank) + ": " + side);
  events.add_slice(process, events.add_thread(process, "iteration"),
                   "iteration " + std::to_string(rank.timeline->tuning_iteration) + ", " + side,
                   rank.shift_ns, rank.shift_ns + rank.length_ns(),
                   {{"phase", enum_text(rank.timeline->phase)}, {"ranks", alignment_text(aligned)}});
  RankRows(rank).write(events, process);
  if (aligned.ranks.size() > 1) {
    events.add_mark(process, "aligned here", aligned.anchor_ns,
                    Json::object({{"ranks", alignment_text(aligned)}}));
  }
}

}  // namespace

std::optional<double> AlignedTimeline::error_ns() const {
  std::optional<double> shortest_ns;
  for (const RankTimeline& rank : ranks) {
    if (rank.handshake != nullptr) {
      const auto length_ns = static_cast<double>(rank.handshake->end_ns - rank.handshake->begin_ns);
      shortest_ns = std::min(shortest_ns.value_or(length_ns), length_ns);
    }
  }
  return shortest_ns;
}

std::vector<AlignedTimeline> aligned_timelines(const RunOfAllRanks& run) {
  std::vector<AlignedTimeline> sides;
  for (const TimelineSide side : {TimelineSide::defaults, TimelineSide::chosen}) {
    AlignedTimeline aligned{.side = side};
    for (const RankRun* rank : run.ranks) {
      const Timeline* timeline = timeline_of(*rank, side);
      if (timeline != nullptr &&
          (aligned.ranks.empty() || timeline->tuning_iteration == aligned.first().tuning_iteration)) {
        aligned.ranks.push_back({rank, timeline});
      } else {
        aligned.other_ranks.push_back(rank->rank);
      }
    }
    if (!aligned.ranks.empty()) {
      align(aligned);
      sides.push_back(std::move(aligned));
    }
  }
  return sides;
}

std::string timeline_text(const AlignedTimeline& timeline) {
  const Timeline& first = timeline.first();
  std::uint64_t left_out = 0;
  bool others_known = true;
  for (const RankTimeline& rank : timeline.ranks) {
    left_out += static_cast<std::uint64_t>(rank.timeline->left_out_count);
    others_known = others_known && rank.timeline->others_known;
  }
  const std::vector<std::string> texts{
      std::string(enum_text(timeline.side)) + ": iteration " + std::to_string(first.tuning_iteration) + " (" +
          std::string(enum_text(first.phase)) + ")" +
          (first.makespan_ns ? ", " + duration_text(*first.makespan_ns) : ""),
      alignment_text(timeline),
      timeline.other_ranks.empty() ? "" : "no timeline of " + ranks_text(timeline.other_ranks),
      left_out == 0 ? "" : count_text(left_out, "interval") + " left out",
      others_known ? "" : "the timer sees tunable launches only"};
  return joined(texts, "; ", std::identity());
}

std::string trace_text(const RunOfAllRanks& run, const std::vector<AlignedTimeline>& timelines) {
  TraceEvents events;
  Json other{{"written_by", "contextual-report"},
             {"region", run.region},
             {"tuning", run.id},
             {"started", run.started},
             {"rank_count", run.rank_count}};
  for (const AlignedTimeline& aligned : timelines) {
    other[std::string(enum_text(aligned.side))] = timeline_text(aligned);
    for (const RankTimeline& rank : aligned.ranks) {
      add_rank(events, aligned, rank);
    }
  }
  const Json trace{
      {"displayTimeUnit", "ns"}, {"otherData", std::move(other)}, {"traceEvents", events.take()}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace contextual::log_report
