#include "report/judging/ending.hpp"

#include "report/format/texts.hpp"
#include "report/judging/runs.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace contextual::log_report {
namespace {

using Ranks = std::vector<std::int64_t>;
using Runs = std::vector<const RankRun*>;

std::string config_at(const ConfigName& config) {
  if (config.problem == nullptr) {
    return {};
  }
  return ", " + name_of(*config.problem) + " config-" + std::to_string(config.id);
}

std::string place(std::string_view phase, std::int64_t iteration) {
  const std::string text(phase);
  return iteration < 0 ? text : text + ", iteration " + std::to_string(iteration);
}

/// Returns e.g. "walk, iteration 17, gemm config-2", as far as the log says.
std::string position_of(const RankRun& run) {
  if (run.blocked) {
    return place(to_string(run.blocked->phase), run.blocked->tuning_iteration) +
           config_at(run.blocked->config);
  }
  if (run.end) {
    return run.end->phase == RunStage::hello ? "before the first iteration"
                                             : place(enum_text(run.end->phase), run.end->tuning_iteration);
  }
  if (!run.launches.empty()) {
    const RankLaunch& last = run.launches.back();
    return "last logged: " + place(to_string(last.phase), last.tuning_iteration) + config_at(*last.config);
  }
  return run.hello ? "in the first iteration" : "before the ranks met";
}

/// The region itself, not the library.
bool region_threw(const RunEnd& end) {
  return end.error_type == "region";
}

std::string error_text(const RunEnd& end) {
  std::string text = region_threw(end) ? "its region threw" : std::string(end.error_type);
  if (!end.error.empty()) {
    text += (text.empty() ? "" : ": ") + std::string(end.error);
  }
  return text.empty() ? "failed without a message" : text;
}

Ranks rank_numbers(const Runs& runs) {
  Ranks ranks;
  ranks.reserve(runs.size());
  for (const RankRun* run : runs) {
    ranks.push_back(run->rank);
  }
  return ranks;
}

/// Each once and in order, as the ends of these ranks name them.
Ranks blamed_by(const Runs& failed) {
  std::set<std::int64_t> blamed;
  for (const RankRun* rank : failed) {
    blamed.insert(rank->end->blamed_ranks.begin(), rank->end->blamed_ranks.end());
  }
  return {blamed.begin(), blamed.end()};
}

/// What the ranks of a run that ended badly say about each other. `run` and `logs` must outlive the object.
struct Evidence {
  Evidence(const RunOfAllRanks& of, const Logs& in) : run(of), logs(in) {
    for (const RankRun* rank : failed_with([](const RunEnd&) { return true; })) {
      for (const std::int64_t other : blamed_by({rank})) {
        ++blame[other];
      }
    }
  }

  const RunOfAllRanks& run;
  const Logs& logs;
  std::map<std::int64_t, int> blame{};  ///< how many ranks blame each

  Runs in(RankState state) const {
    Runs ranks = run.ranks;
    std::erase_if(ranks, [&](const RankRun* rank) { return state_of(*rank) != state; });
    return ranks;
  }

  /// Returns the failed ranks whose RunEnd `predicate` accepts.
  template <typename Predicate>
  Runs failed_with(const Predicate& predicate) const {
    Runs ranks = in(RankState::failed);
    std::erase_if(ranks, [&](const RankRun* rank) { return !predicate(*rank->end); });
    return ranks;
  }

  int blame_of(std::int64_t rank) const {
    const auto found = blame.find(rank);
    return found == blame.end() ? 0 : found->second;
  }

  /// Returns those of `candidates` that are blamed most often, or all of them if none is blamed.
  Ranks most_blamed(Ranks candidates) const {
    int most = 0;
    for (const std::int64_t rank : candidates) {
      most = std::max(most, blame_of(rank));
    }
    std::erase_if(candidates, [&](std::int64_t rank) { return blame_of(rank) != most; });
    return candidates;
  }

  bool is_every_rank(std::size_t count) const { return static_cast<std::int64_t>(count) == run.rank_count; }
};

/// What a rule has found. It does not apply if there are no ranks and no reason.
struct Verdict {
  Ranks ranks{};           ///< to look at first; empty if no rank stands out
  std::string addition{};  ///< to the reason
  std::string why{};       ///< if empty, the reason is what the log of the first of the ranks says

  bool applies() const { return !ranks.empty() || !why.empty(); }
};

std::string stopped_at(const RankRun& run) {
  const std::string position = position_of(run);
  return position.empty() ? "" : " (" + position + ")";
}

std::string blocked_text(const Blocked& blocked) {
  std::string text = "blocked in " + std::string(to_string(blocked.activity));
  if (blocked.config.problem != nullptr) {
    text += blocked.in_launch ? ", a launch under way" : ", the last launch has returned";
  }
  return text + "; watchdog: " + std::string(enum_text(blocked.action));
}

std::string open_text(const RankRun& run, const Logs& logs) {
  const bool last_of_file = run.last_line == logs.files[run.file].last_event_line;
  return last_of_file ? "its log ends without an end of the run: killed, exited or stopped, or still running"
                      : "its log has no end of this run, and later ones";
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

/// What the log of a rank says of its end, or why there is none.
std::string what_and_where(const RunOfAllRanks& run, const Logs& logs, std::int64_t rank) {
  const RankRun* const found = run.find(rank);
  return found == nullptr ? why_absent(run, logs, rank) : what_of(*found, logs) + stopped_at(*found);
}

/// The ranks that the rejections of `failed` ranks name; none where they name more than one, because then no
/// rank rejected every config.
Ranks rejecting_alone(const Runs& failed) {
  std::set<std::int64_t> rejecting;
  for (const RankRun* run : failed) {
    for (const Rejected& event : run->rejected) {
      rejecting.insert(event.ranks.begin(), event.ranks.end());
    }
  }
  return rejecting.size() == 1 ? Ranks{*rejecting.begin()} : Ranks{};
}

/// The ranks on which every config failed: those that `failed` ranks blame or that rejected every config.
/// Where they say neither, those that failed, unless all did: only the rank itself knows before the others
/// are told.
Ranks without_a_config(const Evidence& evidence, const Runs& failed) {
  Ranks ranks = blamed_by(failed);
  if (ranks.empty()) {
    ranks = rejecting_alone(failed);
  }
  return ranks.empty() && !evidence.is_every_rank(failed.size()) ? rank_numbers(failed) : ranks;
}

/// Names the ranks on which every config of a kernel failed. Such a rank leaves the region with an error,
/// while the others wait for it in the region until they are blocked or give up. Names no rank if that
/// happened on all ranks.
Verdict by_tuning_failure(const Evidence& evidence) {
  const Runs failed =
      evidence.failed_with([](const RunEnd& end) { return end.error_type == "TuningFailedError"; });
  const Ranks culprits = without_a_config(evidence, failed);
  if (culprits.empty()) {
    return {};
  }
  const RankRun* const first = evidence.run.find(culprits.front());
  const Rejected* rejection = nullptr;  // the last one of the first rank that has some
  Runs told = failed;
  told.insert(told.begin(), first == nullptr ? 0 : 1, first);
  for (const RankRun* run : told) {
    rejection = rejection == nullptr && !run->rejected.empty() ? &run->rejected.back() : rejection;
  }
  const bool everywhere = culprits.size() > 1 && evidence.is_every_rank(culprits.size());
  const bool is_known = rejection != nullptr && rejection->config.problem != nullptr;
  const std::string why = "every config of " + (is_known ? name_of(*rejection->config.problem) : "a kernel") +
                          " failed " + (everywhere ? "on all ranks" : "there") +
                          (rejection == nullptr ? "" : ": " + std::string(rejection->reason)) +
                          (first == nullptr ? "" : stopped_at(*first));
  return {everywhere ? Ranks{} : culprits, "", why};
}

/// Names the rank whose failure other ranks report (RegionFailedError), even if that rank wrote no log.
Verdict by_region_failure(const Evidence& evidence) {
  const Runs told =
      evidence.failed_with([](const RunEnd& end) { return end.error_type == "RegionFailedError"; });
  const Ranks most = evidence.most_blamed(blamed_by(told));
  if (most.empty()) {
    return {};
  }
  const RankRun* const first = evidence.run.find(most.front());
  const RankRun& other = *told.front();
  const std::string heard(other.end->error.substr(0, other.end->error.find("\\n")));
  const bool says_it_itself = first != nullptr && state_of(*first) == RankState::failed;
  return {most, says_it_itself || heard.empty() ? "" : "; " + ranks_text({other.rank}) + " heard: " + heard};
}

/// Names the ranks that ended with an error of their own, such as wrong options: not one that a rank gets
/// because of another one. Such a rank leaves, and the others may never come to the run. So it is with a rank
/// that alone met a new key in a later call, of which the logs of the others have nothing.
Verdict by_own_error(const Evidence& evidence) {
  const Runs& ranks = evidence.run.ranks;
  const std::size_t open = evidence.in(RankState::open).size();
  const bool launcher_ended_others = open + 1 == ranks.size() && evidence.run.absent.empty();
  const bool may_have_thrown = open == 0 || launcher_ended_others;  // else a rank may be lost
  const Runs failed = evidence.failed_with([&](const RunEnd& end) {
    const bool never_met = ranks.size() == 1 && end.error_type == "CommunicationError" &&
                           end.phase == RunStage::hello && end.blamed_ranks == rank_numbers(ranks);
    return end.error_type == "InvalidArgument" || end.error_type == "ConfigSpaceError" ||
           end.error_type == "Error" || (may_have_thrown && region_threw(end)) || never_met;
  });
  return {evidence.is_every_rank(failed.size()) ? Ranks{} : evidence.most_blamed(rank_numbers(failed))};
}

/// Names the ranks whose region threw, or among several those in the earliest iteration: a region that gives
/// up waiting for a failed rank throws later than that rank.
Verdict by_throw(const Evidence& evidence) {
  Runs threw = evidence.failed_with(region_threw);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const RankRun* run : threw) {
    first = std::min(first, run->end->tuning_iteration);
  }
  std::erase_if(threw, [&](const RankRun* run) { return run->end->tuning_iteration > first; });
  return {evidence.most_blamed(rank_numbers(threw))};
}

/// Names ranks whose own CommunicationError names them. They were away, for example stopped, and continued
/// too late.
Verdict by_own_absence(const Evidence& evidence) {
  Runs away = evidence.failed_with([](const RunEnd& end) { return end.error_type == "CommunicationError"; });
  std::erase_if(away, [](const RankRun* run) {
    const Ranks& blamed = run->end->blamed_ranks;
    return std::find(blamed.begin(), blamed.end(), run->rank) == blamed.end();
  });
  return {evidence.most_blamed(rank_numbers(away))};
}

/// Names the ranks that the errors blame most.
Verdict by_blame(const Evidence& evidence) {
  Ranks most = evidence.most_blamed(blamed_by(evidence.in(RankState::failed)));
  if (most.empty()) {
    return {};
  }
  const std::string own_words = what_and_where(evidence.run, evidence.logs, most.front());
  if (most.size() > 1 && most.size() == evidence.run.ranks.size()) {
    return {most, "", "they differ from each other: " + own_words};
  }
  if (const RankRun* run = evidence.run.find(most.front()); run != nullptr && evidence.run.several_regions) {
    return {most, "", "in region \"" + std::string(run->region) + "\", others are not: " + own_words};
  }
  return {most};
}

/// Names the ranks with another error than most.
Verdict by_odd_error(const Evidence& evidence) {
  std::map<std::string_view, Ranks> by_type;
  for (const RankRun* run : evidence.in(RankState::failed)) {
    by_type[run->end->error_type].push_back(run->rank);
  }
  if (by_type.empty()) {
    return {};
  }
  const auto rarest = std::min_element(by_type.begin(), by_type.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  const Ranks& ranks = rarest->second;
  if (by_type.size() == 1 && ranks.size() > 1) {
    return {{}, "", "all ranks failed alike: " + what_and_where(evidence.run, evidence.logs, ranks.front())};
  }
  return {ranks};
}

/// Names ranks without an end and ranks that wrote nothing, for which blocked and failed ranks waited. Among
/// several, it names those that the others blame most.
Verdict by_missing_end(const Evidence& evidence) {
  Ranks candidates = rank_numbers(evidence.in(RankState::open));
  candidates.insert(candidates.end(), evidence.run.absent.begin(), evidence.run.absent.end());
  std::sort(candidates.begin(), candidates.end());
  const Ranks most = evidence.most_blamed(candidates);
  const bool wrote_something = !most.empty() && evidence.run.find(most.front()) != nullptr;
  const bool others_waited =
      !evidence.in(RankState::blocked).empty() || !evidence.in(RankState::failed).empty();
  return {most, wrote_something && others_waited ? "; the others waited for it" : ""};
}

/// Names the ranks that left the region in an earlier tuning iteration than those in which the others are
/// blocked.
Verdict by_leaving_early(const Evidence& evidence) {
  const Runs blocked = evidence.in(RankState::blocked);
  if (blocked.empty()) {
    return {};
  }
  std::int64_t first_blocked = std::numeric_limits<std::int64_t>::max();
  for (const RankRun* run : blocked) {
    first_blocked = std::min(first_blocked, run->blocked->tuning_iteration);
  }
  const Runs early = evidence.failed_with(
      [&](const RunEnd& end) { return end.tuning_iteration >= 0 && end.tuning_iteration < first_blocked; });
  return {rank_numbers(early), "; the blocked ranks went on to iteration " + std::to_string(first_blocked)};
}

/// Names the blocked ranks that others blame, the blocked rank that is alone in its place, while at least two
/// others are together in another one, or no rank.
Verdict by_block(const Evidence& evidence) {
  const Runs blocked = evidence.in(RankState::blocked);
  if (blocked.empty()) {
    return {};
  }
  const Ranks most = evidence.most_blamed(rank_numbers(blocked));
  if (most.size() == 1 || evidence.blame_of(most.front()) > 0) {
    return {most};
  }
  std::map<std::string, Ranks> by_place;
  for (const RankRun* run : blocked) {
    by_place[position_of(*run) + std::string(to_string(run->blocked->activity))].push_back(run->rank);
  }
  for (const auto& [place, ranks] : by_place) {
    if (ranks.size() == 1 && by_place.size() == 2 && blocked.size() > 2) {
      return {ranks, "; all other blocked ranks are in one other place"};
    }
  }
  return {{},
          "",
          ranks_text(most) +
              " are blocked, none of them blamed by others. The logs cannot say which was first: look at "
              "the region's communication"};
}

/// Judges a run in which some rank failed, is blocked, or wrote no end while others did: the first rule that
/// applies decides.
Verdict verdict_of(const Evidence& evidence) {
  for (const auto rule : {by_tuning_failure, by_region_failure, by_own_error, by_missing_end, by_throw,
                          by_own_absence, by_leaving_early, by_block, by_blame, by_odd_error}) {
    if (Verdict verdict = rule(evidence); verdict.applies()) {
      std::sort(verdict.ranks.begin(), verdict.ranks.end());
      if (verdict.why.empty()) {
        verdict.why = what_and_where(evidence.run, evidence.logs, verdict.ranks.front()) + verdict.addition;
      }
      return verdict;
    }
  }
  return {{}, "", "the logs do not say"};
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
      return ", for " + duration_text(blocked_ns) + (since.empty() ? "" : " since " + std::string(since));
    }
    return state == RankState::open && written_s >= 0 ? " (last written " + iso8601_of(written_s) + ")" : "";
  }
};

std::vector<Stop> stops_of(const RunOfAllRanks& run, const Logs& logs) {
  std::vector<std::pair<Stop, StopTimes>> found;
  for (const RankRun* rank : run.ranks) {
    Stop stop{{}, state_of(*rank), what_of(*rank, logs), position_of(*rank)};
    if (run.several_regions) {
      stop.where = "region " + std::string(rank->region) + ", " + stop.where;
    }
    auto alike = std::find_if(found.begin(), found.end(), [&](const auto& other) {
      return std::tie(other.first.state, other.first.what, other.first.where) ==
             std::tie(stop.state, stop.what, stop.where);
    });
    alike = alike != found.end() ? alike : found.insert(alike, {std::move(stop), {}});
    alike->first.ranks.push_back(rank->rank);
    alike->second.add(*rank, logs);
  }
  std::vector<Stop> stops;
  for (auto& [stop, times] : found) {
    stop.what += times.text(stop.state);
    stops.push_back(std::move(stop));
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

RankState state_of(const RankRun& run) {
  if (run.blocked) {
    return RankState::blocked;
  }
  if (run.end) {
    return run.end->ok() ? RankState::ok : RankState::failed;
  }
  return RankState::open;
}

Ending ending_of(const RunOfAllRanks& run, const Logs& logs) {
  Ending ending;
  ending.status = status_of(run);
  ending.stops = stops_of(run, logs);
  if (ending.status == RunStatus::failed) {
    Verdict verdict = verdict_of({run, logs});
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
