/// \file
/// The rules that look at who waited for whom: ranks that are blocked, and ranks whose log just ends.

#include "report/format/ranges.hpp"
#include "report/judging/culprit_rules.hpp"
#include "report/judging/culprit_words.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace contextual::log_report {
namespace {

/// The ranks that left the region in an earlier tuning iteration than those in which the others are blocked.
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
  return verdict_on(evidence, rank_numbers(early),
                    "; the blocked ranks went on to iteration " + std::to_string(first_blocked));
}

/// The blocked rank that is alone in its place, while at least two others are together in another one.
std::optional<Verdict> by_lonely_place(const Evidence& evidence) {
  const auto& blocked = evidence.in(RankState::blocked);
  std::map<std::string, Ranks> by_place;
  for (const RankRun* run : blocked) {
    by_place[position_of(*run) + std::string(to_string(run->blocked->activity))].push_back(run->rank);
  }
  for (const auto& [place, ranks] : by_place) {
    if (ranks.size() == 1 && by_place.size() == 2 && blocked.size() > 2) {
      return verdict_on(evidence, ranks, "; all other blocked ranks are in one other place");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Verdict> by_missing_end(const Evidence& evidence) {
  const Ranks absent = evidence.absent();
  Ranks candidates = rank_numbers(evidence.in(RankState::open));
  candidates.insert(candidates.end(), absent.begin(), absent.end());
  if (candidates.empty()) {
    return std::nullopt;
  }
  std::sort(candidates.begin(), candidates.end());
  const Ranks most = evidence.most_blamed(candidates);
  const bool wrote_something = evidence.run().find(most.front()) != nullptr;
  const bool others_waited =
      !evidence.in(RankState::blocked).empty() || !evidence.in(RankState::failed).empty();
  return verdict_on(evidence, most, wrote_something && others_waited ? "; the others waited for it" : "");
}

std::optional<Verdict> by_block(const Evidence& evidence) {
  const auto& blocked = evidence.in(RankState::blocked);
  if (blocked.empty()) {
    return std::nullopt;
  }
  if (auto early = by_leaving_early(evidence)) {
    return early;
  }
  const Ranks most = evidence.most_blamed(rank_numbers(blocked));
  if (most.size() == 1 || evidence.blame_of(most.front()) > 0) {
    return verdict_on(evidence, most);
  }
  if (auto lonely = by_lonely_place(evidence)) {
    return lonely;
  }
  return Verdict{
      {},
      ranks_text(most) +
          " are blocked, none of them blamed by others. The logs cannot say which was first: look at the "
          "region's communication"};
}

}  // namespace contextual::log_report
