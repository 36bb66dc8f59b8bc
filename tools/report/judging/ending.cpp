#include "report/judging/ending.hpp"

#include "report/format/quantities.hpp"
#include "report/format/ranges.hpp"
#include "report/format/timestamp.hpp"
#include "report/judging/culprit.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace contextual::log_report {
namespace {

std::string blocked_text(const Blocked& blocked) {
  std::string text = "blocked in " + std::string(to_string(blocked.activity));
  if (blocked.config.problem != nullptr) {
    text += blocked.in_launch ? ", a launch under way" : ", the last launch has returned";
  }
  return text + "; watchdog: " + std::string(enum_text(blocked.action));
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
      return error_text(*run.end);
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

std::vector<Stop> stops_of(const RunOfAllRanks& run, const Logs& logs) {
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

RunStatus status_of(const RunOfAllRanks& run) {
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

Ending ending_of(const RunOfAllRanks& run, const Logs& logs) {
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
