#include "ending.hpp"

#include "culprit.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace contextual::log_report {
namespace {

std::string config_at(const ConfigName& config) {
  if (config.problem == nullptr) {
    return {};
  }
  return ", " + std::string(config.problem->kernel) + " " + std::string(config.problem->key) + " config-" +
         std::to_string(config.id);
}

std::string place(std::string_view phase, std::int64_t iteration) {
  std::string text(phase);
  if (iteration >= 0 && phase != "hello") {
    text += (text.empty() ? "" : ", ") + std::string("iteration ") + std::to_string(iteration);
  }
  return text;
}

std::string failed_text(const RankRun& run) {
  const RunEnd& end = *run.end;
  std::string text = end.error_type == "region" ? "its region threw" : std::string(end.error_type);
  if (!end.error.empty()) {
    text += (text.empty() ? "" : ": ") + std::string(end.error);
  }
  return text.empty() ? "failed without a message" : text;
}

std::string blocked_text(const Blocked& blocked) {
  std::string text = "blocked in " + std::string(blocked.activity);
  if (blocked.config.problem != nullptr) {
    text += blocked.in_launch ? ", a launch under way" : ", the last launch has returned";
  }
  return text + (blocked.action.empty() ? "" : "; watchdog: " + std::string(blocked.action));
}

std::string open_text(const RankRun& run, const Logs& logs) {
  const bool last_of_file = run.last_line == logs.files[run.file].last_event_line;
  return last_of_file ? "log ends here: killed, exited or stopped, or still running"
                      : "no end of this run, later ones follow in the same log";
}

std::string what_of(const RankRun& run, const Logs& logs) {
  switch (state_of(run)) {
    case RankState::ok:
      return "ended well";
    case RankState::failed:
      return failed_text(run);
    case RankState::blocked:
      return blocked_text(*run.blocked);
    case RankState::open:
      break;
  }
  return open_text(run, logs);
}

/// What is not alike on ranks that stopped alike: for how long, since when.
struct StopTimes {
  std::int64_t blocked_ns = 0;  ///< the longest
  std::int64_t written_s = -1;  ///< the latest
  std::string_view since;       ///< the earliest

  void add(const RankRun& run, const Logs& logs) {
    if (run.blocked) {
      blocked_ns = std::max(blocked_ns, run.blocked->blocked_ns);
      since = since.empty() ? run.blocked->since_iso8601 : std::min(since, run.blocked->since_iso8601);
    }
    written_s = std::max(written_s, logs.files[run.file].written_s.value_or(-1));
  }

  std::string text(RankState state) const {
    if (state == RankState::blocked) {
      return ", for " + duration_text(static_cast<double>(blocked_ns)) +
             (since.empty() ? "" : " since " + std::string(since));
    }
    return state == RankState::open && written_s >= 0 ? " (last written " + iso8601_of(written_s) + ")" : "";
  }
};

std::vector<Stop> stops_of(const TuningRun& run, const Logs& logs) {
  using Key = std::tuple<RankState, std::string, std::string>;
  std::map<Key, std::size_t> known;
  std::vector<Stop> stops;
  std::vector<StopTimes> times;
  for (const RankRun* rank : run.ranks) {
    Stop stop{{}, state_of(*rank), what_of(*rank, logs), position_of(*rank)};
    if (run.several_regions) {
      stop.where = "region " + std::string(rank->region) + ", " + stop.where;
    }
    const auto [found, is_new] = known.try_emplace(Key(stop.state, stop.what, stop.where), stops.size());
    if (is_new) {
      stops.push_back(std::move(stop));
      times.emplace_back();
    }
    stops[found->second].ranks.push_back(rank->rank);
    times[found->second].add(*rank, logs);
  }
  for (std::size_t i = 0; i < stops.size(); ++i) {
    stops[i].what += times[i].text(stops[i].state);
  }
  return stops;
}

RunStatus status_of(const TuningRun& run) {
  const auto count = [&](RankState state) {
    return std::count_if(run.ranks.begin(), run.ranks.end(),
                         [&](const RankRun* rank) { return state_of(*rank) == state; });
  };
  const auto all = static_cast<std::ptrdiff_t>(run.ranks.size());
  if (count(RankState::ok) == all && run.absent.empty()) {
    return RunStatus::ok;
  }
  return count(RankState::open) == all ? RunStatus::unfinished : RunStatus::failed;
}

}  // namespace

RankState state_of(const RankRun& run) {
  if (run.end) {
    return run.end->ok() ? RankState::ok : RankState::failed;
  }
  return run.blocked ? RankState::blocked : RankState::open;
}

std::string position_of(const RankRun& run) {
  if (run.blocked && !run.end) {
    return place(run.blocked->phase, run.blocked->tuning_iteration) + config_at(run.blocked->config);
  }
  if (run.end) {
    const std::string at = place(run.end->phase, run.end->tuning_iteration);
    return at == "hello" ? "before the first iteration" : at;
  }
  if (!run.launches.empty()) {
    const Launch& last = run.launches.back();
    return "last logged: " + place(last.phase, last.tuning_iteration) + config_at(last.config);
  }
  return run.hello ? "in the first iteration" : "before the ranks met";
}

std::vector<std::string> absence_texts(const TuningRun& run, const Logs& logs) {
  // Where group and program count alike, a rank's file is known by its number.
  const bool files_known = std::all_of(run.ranks.begin(), run.ranks.end(), [&](const RankRun* rank) {
    return logs.files[rank->file].process == rank->rank;
  });
  if (!files_known) {
    return run.absent.empty() ? std::vector<std::string>{}
                              : std::vector{ranks_text(run.absent) + ": no log has a run of this tuning"};
  }
  const auto is_absent = [&](std::int64_t rank) {
    return std::any_of(run.absent.begin(), run.absent.end(),
                       [&](const Range& range) { return rank >= range.first && rank <= range.last; });
  };
  std::vector<Range> without_file = run.absent;
  std::vector<std::string> texts;
  for (const LogFile& file : logs.files) {
    if (is_absent(file.process)) {
      const std::string why = !file.problem.empty()    ? "cannot be read: " + file.problem
                              : file.damaged_count > 0 ? "has no run of this tuning, and damaged lines"
                                                       : "has no run of this tuning: it never got there";
      texts.push_back("rank " + std::to_string(file.process) + ": " + file.name + " " + why);
    }
  }
  std::vector<Range> left;
  for (const Range& range : run.absent) {
    std::int64_t next = range.first;
    for (const LogFile& file : logs.files) {  // sorted by number
      if (file.process >= next && file.process <= range.last) {
        if (file.process > next) {
          left.push_back({next, file.process - 1});
        }
        next = file.process + 1;
      }
    }
    if (next <= range.last) {
      left.push_back({next, range.last});
    }
  }
  if (!left.empty()) {
    texts.push_back(ranks_text(left) + ": no log file in this directory");
  }
  return texts;
}

const char* status_name(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return "ok";
    case RunStatus::failed:
      return "failed";
    case RunStatus::unfinished:
      break;
  }
  return "unfinished";
}

Ending ending_of(const TuningRun& run, const Logs& logs) {
  Ending ending;
  ending.status = status_of(run);
  ending.stops = stops_of(run, logs);
  if (ending.status == RunStatus::failed) {
    Verdict verdict = verdict_of(run, logs);
    ending.culprits = std::move(verdict.ranks);
    ending.why = std::move(verdict.why);
  }
  return ending;
}

std::string Ending::culprit_line() const {
  if (status != RunStatus::failed) {
    return {};
  }
  return "culprit: " + (culprits.empty() ? "no single rank" : ranks_text(culprits)) + ": " + why;
}

}  // namespace contextual::log_report
