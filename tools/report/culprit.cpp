#include "culprit.hpp"

#include "evidence.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

namespace contextual::log_report {
namespace {

Ranks numbers(const std::vector<const RankRun*>& runs) {
  Ranks ranks;
  for (const RankRun* run : runs) {
    ranks.push_back(run->rank);
  }
  return ranks;
}

bool region_threw(const RunEnd& end) {
  return end.error_type == "region";
}

std::string at(const RankRun& run) {
  const std::string position = position_of(run);
  return position.empty() ? "" : " (" + position + ")";
}

/// What the first of `ranks` says itself, for the line.
std::string own_words(const Evidence& evidence, const Ranks& ranks) {
  const RankRun* run = ranks.empty() ? nullptr : evidence.run().find(ranks.front());
  if (run == nullptr) {
    return "nothing in the logs";
  }
  switch (state_of(*run)) {
    case RankState::failed:
      return (region_threw(*run->end) ? "its region threw: " : std::string(run->end->error_type) + ": ") +
             std::string(run->end->error) + at(*run);
    case RankState::blocked:
      return "blocked in " + std::string(run->blocked->activity) + at(*run);
    case RankState::open:
      return "its log ends without an end of the run: killed, exited or stopped" + at(*run);
    case RankState::ok:
      break;
  }
  return "it ended well itself";
}

Verdict named(const Evidence& evidence, Ranks ranks, const std::string& after = {}) {
  std::sort(ranks.begin(), ranks.end());
  std::string why = own_words(evidence, ranks);
  return {std::move(ranks), why + after};
}

std::optional<Verdict> by_region_failure(const Evidence& evidence) {
  std::set<std::int64_t> failed;
  for (const RankRun* rank :
       evidence.failed_with([](const RunEnd& end) { return end.error_type == "RegionFailedError"; })) {
    failed.insert(rank->end->blamed_ranks.begin(), rank->end->blamed_ranks.end());
  }
  if (failed.empty()) {
    return std::nullopt;
  }
  return named(evidence, evidence.most_blamed({failed.begin(), failed.end()}));
}

std::optional<Verdict> by_lonely_throw(const Evidence& evidence) {
  const auto threw = evidence.failed_with(region_threw);
  const bool others_open = evidence.in(RankState::open).size() + 1 == evidence.run().ranks.size() &&
                           !evidence.in(RankState::open).empty();
  if (threw.size() != 1 || !others_open || !evidence.run().absent.empty()) {
    return std::nullopt;
  }
  return named(evidence, numbers(threw), "; the others' logs just end, as when a launcher ends them");
}

std::string absence(const Evidence& evidence, const Ranks& ranks) {
  const std::vector<std::string> texts = absence_texts(evidence.run(), evidence.logs());
  const std::string prefix = ranks_text(ranks) + ": ";
  if (texts.size() == 1 && texts.front().starts_with(prefix)) {
    return texts.front().substr(prefix.size());
  }
  return evidence.run().met ? "no log says anything of it in this run"
                            : "never met the others, and no log says why";
}

std::optional<Verdict> by_missing_end(const Evidence& evidence) {
  const Ranks absent = evidence.absent();
  Ranks candidates = numbers(evidence.in(RankState::open));
  candidates.insert(candidates.end(), absent.begin(), absent.end());
  if (candidates.empty()) {
    return std::nullopt;
  }
  std::sort(candidates.begin(), candidates.end());
  const Ranks most = evidence.most_blamed(candidates);
  const std::string waited = evidence.in(RankState::blocked).empty() && evidence.in(RankState::failed).empty()
                                 ? ""
                                 : "; the others waited for it";
  if (evidence.run().find(most.front()) == nullptr) {
    return Verdict{most, absence(evidence, most)};
  }
  return named(evidence, most, waited);
}

std::optional<Verdict> by_throw(const Evidence& evidence) {
  auto threw = evidence.failed_with(region_threw);
  if (threw.empty()) {
    return std::nullopt;
  }
  const auto iteration = [](const RankRun* run) { return run->end->tuning_iteration; };
  const auto first = *std::min_element(
      threw.begin(), threw.end(), [&](const auto* a, const auto* b) { return iteration(a) < iteration(b); });
  std::erase_if(threw, [&](const RankRun* run) { return iteration(run) > iteration(first); });
  return named(evidence, evidence.most_blamed(numbers(threw)));
}

/// Ranks that were away themselves, such as stopped and continued too late: their own error names them.
std::optional<Verdict> by_own_absence(const Evidence& evidence) {
  Ranks away;
  for (const RankRun* run : evidence.in(RankState::failed)) {
    const std::vector<std::int64_t>& blamed = run->end->blamed_ranks;
    if (run->end->error_type == "CommunicationError" &&
        std::find(blamed.begin(), blamed.end(), run->rank) != blamed.end()) {
      away.push_back(run->rank);
    }
  }
  return away.empty() ? std::nullopt : std::optional(named(evidence, evidence.most_blamed(away)));
}

/// Ranks that left the region in an earlier tuning iteration than those in which the others are blocked.
std::optional<Verdict> by_leaving_early(const Evidence& evidence) {
  std::int64_t first_blocked = std::numeric_limits<std::int64_t>::max();
  for (const RankRun* run : evidence.in(RankState::blocked)) {
    first_blocked = std::min(first_blocked, run->blocked->tuning_iteration);
  }
  const auto early = evidence.failed_with(
      [&](const RunEnd& end) { return end.tuning_iteration >= 0 && end.tuning_iteration < first_blocked; });
  if (early.empty()) {
    return std::nullopt;
  }
  return named(evidence, numbers(early),
               "; the blocked ranks went on to iteration " + std::to_string(first_blocked));
}

std::optional<Verdict> by_block(const Evidence& evidence) {
  const auto& blocked = evidence.in(RankState::blocked);
  if (blocked.empty()) {
    return std::nullopt;
  }
  if (auto early = by_leaving_early(evidence)) {
    return early;
  }
  const Ranks most = evidence.most_blamed(numbers(blocked));
  if (most.size() == 1 || evidence.blame_of(most.front()) > 0) {
    return named(evidence, most);
  }
  std::map<std::string, Ranks> by_place;
  for (const RankRun* run : blocked) {
    by_place[position_of(*run) + std::string(run->blocked->activity)].push_back(run->rank);
  }
  for (const auto& [place, ranks] : by_place) {
    if (ranks.size() == 1 && by_place.size() == 2 && blocked.size() > 2) {
      return named(evidence, ranks, "; all other blocked ranks are in one other place");
    }
  }
  return Verdict{
      {},
      ranks_text(most) +
          " are blocked, none of them blamed by others. The logs cannot say which was first: look at the "
          "region's communication"};
}

std::optional<Verdict> by_blame(const Evidence& evidence) {
  const Ranks most = evidence.most_blamed();
  if (most.empty()) {
    return std::nullopt;
  }
  if (most.size() > 1 && most.size() == evidence.run().ranks.size()) {
    return Verdict{most, "they differ from each other: " + own_words(evidence, most)};
  }
  const RankRun* run = evidence.run().find(most.front());
  if (run != nullptr && evidence.run().several_regions) {
    return Verdict{
        most, "in region \"" + std::string(run->region) + "\", others are not: " + own_words(evidence, most)};
  }
  return named(evidence, most);
}

/// The rank at the front of a rejection's reason, "rank 1: too much shared memory".
std::optional<std::int64_t> rank_in(std::string_view reason) {
  constexpr std::string_view before = "rank ";
  std::int64_t rank = 0;
  if (!reason.starts_with(before)) {
    return std::nullopt;
  }
  reason.remove_prefix(before.size());
  const auto [end, error] = std::from_chars(reason.data(), reason.data() + reason.size(), rank);
  const bool valid = error == std::errc{} && end != reason.data() + reason.size() && *end == ':';
  return valid ? std::optional(rank) : std::nullopt;
}

std::optional<Verdict> by_rejections(const Evidence& evidence) {
  std::set<std::int64_t> rejecting;
  std::string reason;
  for (const RankRun* run :
       evidence.failed_with([](const RunEnd& end) { return end.error_type == "TuningFailedError"; })) {
    for (const Rejected& event : run->rejected) {
      if (const auto rank = rank_in(event.reason)) {
        rejecting.insert(*rank);
        reason = event.reason;
      }
    }
  }
  if (rejecting.size() != 1) {
    return std::nullopt;
  }
  return Verdict{{*rejecting.begin()}, "every config of a kernel was rejected, there alone: " + reason};
}

std::optional<Verdict> by_odd_error(const Evidence& evidence) {
  std::map<std::string_view, Ranks> by_type;
  for (const RankRun* run : evidence.in(RankState::failed)) {
    by_type[run->end->error_type].push_back(run->rank);
  }
  if (by_type.empty()) {
    return std::nullopt;
  }
  const auto rarest = std::min_element(by_type.begin(), by_type.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  const bool alone = by_type.size() == 1 && rarest->second.size() > 1;
  if (alone) {
    return Verdict{{}, "all ranks failed alike: " + own_words(evidence, rarest->second)};
  }
  return named(evidence, rarest->second);
}

}  // namespace

Verdict verdict_of(const TuningRun& run, const Logs& logs) {
  const Evidence evidence(run, logs);
  for (const auto rule : {by_region_failure, by_lonely_throw, by_missing_end, by_throw, by_own_absence,
                          by_block, by_blame, by_rejections, by_odd_error}) {
    if (auto verdict = rule(evidence)) {
      return *verdict;
    }
  }
  return {{}, "the logs do not say"};
}

}  // namespace contextual::log_report
