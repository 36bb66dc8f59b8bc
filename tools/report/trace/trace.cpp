#include "report/trace/trace.hpp"

#include "report/trace/lanes.hpp"
#include "report/trace/trace_events.hpp"
#include "report/wording/trace_wording.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace contextual::log_report {
namespace {

/// What a row of the viewer has, before rows are split where slices overlap.
struct TraceRow {
  std::string name;
  std::vector<Interval> intervals;
  std::vector<std::string> names;
  std::vector<TraceJson> details;
};

std::string device_text(std::int64_t device) {
  return device < 0 ? "host" : "GPU " + std::to_string(device);
}

using Configs = std::map<std::pair<const ProblemName*, std::int64_t>, std::string_view>;

/// The parameters of the configs that the rank launched, which a timeline does not repeat.
Configs configs_of(const RankRun& rank) {
  Configs configs;
  for (const Launch& launch : rank.launches) {
    configs.try_emplace({launch.config.problem, launch.config.id}, launch.config.values);
  }
  return configs;
}

/// The rows of one rank, in the order of their first slices.
class Rows {
 public:
  explicit Rows(const RankTimeline& rank) : rank_(rank), configs_(configs_of(*rank.rank)) {
    for (const TimelineLaunch& launch : rank.timeline->launches) {
      add(launch);
    }
    for (const TimelineSpan& span : rank.timeline->others) {
      add(span);
    }
  }

  void write(TraceEvents& events, std::size_t process) const {
    for (const TraceRow& row : rows_) {
      const std::vector<std::size_t> lanes = lanes_of(row.intervals);
      std::map<std::size_t, std::size_t> threads;  // by lane
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        const auto [thread, is_new] = threads.try_emplace(lanes[i]);
        if (is_new) {
          thread->second = events.add_thread(
              process, lanes[i] == 0 ? row.name : row.name + " #" + std::to_string(lanes[i] + 1));
        }
        events.add_slice(process, thread->second, row.names[i], row.intervals[i].begin_ns,
                         row.intervals[i].end_ns, row.details[i]);
      }
    }
  }

 private:
  TraceRow& row_of(const ProblemName* problem, std::int64_t device, const std::string& name) {
    const auto [found, is_new] = index_.try_emplace({problem, device}, rows_.size());
    if (is_new) {
      rows_.push_back({name + ", " + device_text(device), {}, {}, {}});
    }
    return rows_[found->second];
  }

  void add(TraceRow& row, std::int64_t begin_ns, std::int64_t end_ns, std::string name,
           TraceJson details) const {
    if (begin_ns < end_ns) {
      row.intervals.push_back(
          {static_cast<double>(begin_ns) + rank_.shift_ns, static_cast<double>(end_ns) + rank_.shift_ns});
      row.names.push_back(std::move(name));
      row.details.push_back(std::move(details));
    }
  }

  void add(const TimelineLaunch& launch) {
    if (launch.problem == nullptr) {
      return;
    }
    const auto config = configs_.find({launch.problem, launch.config_id});
    const std::string kernel(launch.problem->kernel);
    const std::string key(launch.problem->key);
    TraceRow& row = row_of(launch.problem, launch.device, kernel + " " + key);
    add(row, launch.begin_ns, launch.end_ns, kernel + " config-" + std::to_string(launch.config_id),
        {{"kernel", kernel},
         {"key", key},
         {"config_id", launch.config_id},
         {"config", config == configs_.end() ? "" : config->second},
         {"device", device_text(launch.device)}});
  }

  void add(const TimelineSpan& span) {
    add(row_of(nullptr, span.device, "other work"), span.begin_ns, span.end_ns,
        &span == rank_.handshake ? "handshake" : "other work",
        TraceJson::object({{"device", device_text(span.device)}}));
  }

  const RankTimeline& rank_;
  const Configs configs_;
  std::vector<TraceRow> rows_;
  std::map<std::pair<const ProblemName*, std::int64_t>, std::size_t> index_;
};

void add_rank(TraceEvents& events, const AlignedTimeline& aligned, const RankTimeline& rank) {
  const std::size_t process =
      events.add_process("rank " + std::to_string(rank.rank->rank) + ": " + side_name(aligned));
  const std::size_t iteration = events.add_thread(process, "iteration");
  events.add_slice(process, iteration,
                   "iteration " + std::to_string(rank.timeline->tuning_iteration) + ", " + side_name(aligned),
                   rank.shift_ns, rank.shift_ns + rank.length_ns(),
                   {{"phase", enum_text(rank.timeline->phase)}, {"ranks", alignment_text(aligned)}});
  Rows(rank).write(events, process);
  if (aligned.anchor != Anchor::none) {
    events.add_mark(process, "aligned here", aligned.anchor_ns,
                    TraceJson::object({{"ranks", alignment_text(aligned)}}));
  }
}

const char* anchor_name(Anchor anchor) {
  return anchor == Anchor::handshake      ? "end of the handshake"
         : anchor == Anchor::first_launch ? "begin of the first tunable launch"
                                          : "none: one rank";
}

TraceJson side_json(const AlignedTimeline& aligned) {
  TraceJson side{{"tuning_iteration", aligned.first().tuning_iteration},
                 {"phase", enum_text(aligned.first().phase)},
                 {"aligned_at", anchor_name(aligned.anchor)},
                 {"alignment_error_us", aligned.error_ns / ns_per_us},
                 {"alignment_error_is_bounded", aligned.anchor != Anchor::first_launch},
                 {"ends_apart_us", aligned.ends_apart_ns / ns_per_us},
                 {"missing", gaps_text(aligned)}};
  if (aligned.first().makespan_ns) {
    side["makespan_us"] = static_cast<double>(*aligned.first().makespan_ns) / ns_per_us;
  }
  return side;
}

}  // namespace

std::string trace_text(const RunOfAllRanks& run, const std::vector<AlignedTimeline>& timelines) {
  TraceEvents events;
  TraceJson other{{"written_by", "contextual-report"},
                  {"region", run.region},
                  {"tuning", run.id},
                  {"started", run.started},
                  {"rank_count", run.rank_count}};
  for (const AlignedTimeline& aligned : timelines) {
    other[side_name(aligned)] = side_json(aligned);
    for (const RankTimeline& rank : aligned.ranks) {
      add_rank(events, aligned, rank);
    }
  }
  const TraceJson trace{
      {"displayTimeUnit", "ns"}, {"otherData", std::move(other)}, {"traceEvents", events.take()}};
  return trace.dump(-1, ' ', false, TraceJson::error_handler_t::replace) + "\n";
}

}  // namespace contextual::log_report
