#include "report/judging/culprit_words.hpp"

#include "report/judging/absence.hpp"

#include <algorithm>

namespace contextual::log_report {
namespace {

/// Why there is nothing of `rank` in the logs.
std::string why_absent(const Evidence& evidence, std::int64_t rank) {
  for (const Absence& absence : absences_of(evidence.run(), evidence.logs())) {
    if (absence.holds(rank)) {
      return absence.why;
    }
  }
  return "no log says anything of it";
}

}  // namespace

Ranks rank_numbers(const std::vector<const RankRun*>& runs) {
  Ranks ranks;
  ranks.reserve(runs.size());
  for (const RankRun* run : runs) {
    ranks.push_back(run->rank);
  }
  return ranks;
}

std::string stopped_at(const RankRun& run) {
  const std::string position = position_of(run);
  return position.empty() ? "" : " (" + position + ")";
}

std::string own_words(const Evidence& evidence, const Ranks& ranks) {
  const RankRun* run = evidence.run().find(ranks.front());
  if (run == nullptr) {
    return why_absent(evidence, ranks.front());
  }
  switch (state_of(*run)) {
    case RankState::failed:
      return error_text(*run->end) + stopped_at(*run);
    case RankState::blocked:
      return "blocked in " + std::string(to_string(run->blocked->activity)) + stopped_at(*run);
    case RankState::open:
      return "its log ends without an end of the run: killed, exited or stopped" + stopped_at(*run);
    case RankState::ok:
      break;
  }
  return "it ended well itself";
}

Verdict verdict_on(const Evidence& evidence, Ranks ranks, const std::string& addition) {
  std::sort(ranks.begin(), ranks.end());
  std::string why = own_words(evidence, ranks);
  return {std::move(ranks), why + addition};
}

}  // namespace contextual::log_report
