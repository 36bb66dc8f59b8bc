/// \file
/// The rules that look at what ranks failed with and whom they blame.

#include "report/format/ranges.hpp"
#include "report/judging/culprit_rules.hpp"
#include "report/judging/culprit_words.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace contextual::log_report {
namespace {

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

std::set<std::int64_t> blamed_by(const std::vector<const RankRun*>& failed) {
  std::set<std::int64_t> blamed;
  for (const RankRun* rank : failed) {
    blamed.insert(rank->end->blamed_ranks.begin(), rank->end->blamed_ranks.end());
  }
  return blamed;
}

/// The ranks that the rejections of `failed` ranks name; none where they name more than one, because then no
/// rank rejected every config.
std::set<std::int64_t> rejecting_alone(const std::vector<const RankRun*>& failed) {
  std::set<std::int64_t> rejecting;
  for (const RankRun* run : failed) {
    for (const Rejected& event : run->rejected) {
      if (const auto rank = rank_in(event.reason)) {
        rejecting.insert(*rank);
      }
    }
  }
  return rejecting.size() == 1 ? rejecting : std::set<std::int64_t>{};
}

/// The last rejection that `run` wrote; null where it wrote none.
const Rejected* last_rejection(const RankRun* run) {
  return run == nullptr || run->rejected.empty() ? nullptr : &run->rejected.back();
}

std::string kernel_of(const Rejected* rejection) {
  return rejection == nullptr || rejection->config.problem == nullptr ? "a kernel"
                                                                      : name_of(*rejection->config.problem);
}

bool is_every_rank(const Evidence& evidence, std::size_t count) {
  return static_cast<std::int64_t>(count) == evidence.run().rank_count;
}

/// The ranks on which every config failed: those that `failed` ranks blame or that rejected every config.
/// Where they say neither, those that failed, unless all did: only the rank itself knows before the others
/// are told.
std::set<std::int64_t> without_a_config(const Evidence& evidence, const std::vector<const RankRun*>& failed) {
  std::set<std::int64_t> ranks = blamed_by(failed);
  if (ranks.empty()) {
    ranks = rejecting_alone(failed);
  }
  if (ranks.empty() && !is_every_rank(evidence, failed.size())) {
    for (const RankRun* run : failed) {
      ranks.insert(run->rank);
    }
  }
  return ranks;
}

/// "; rank 0 heard: ..." of the first rank that was told that another one failed.
std::string heard(const std::vector<const RankRun*>& told) {
  const RankRun& first = *told.front();
  const std::string_view error = first.end->error;
  const std::string_view line = error.substr(0, error.find("\\n"));
  return line.empty() ? "" : "; " + ranks_text(Ranks{first.rank}) + " heard: " + std::string(line);
}

}  // namespace

std::optional<Verdict> by_tuning_failure(const Evidence& evidence) {
  const auto failed =
      evidence.failed_with([](const RunEnd& end) { return end.error_type == "TuningFailedError"; });
  const std::set<std::int64_t> culprits = without_a_config(evidence, failed);
  if (culprits.empty()) {
    return std::nullopt;
  }
  const RankRun* first = evidence.run().find(*culprits.begin());
  const Rejected* rejection = last_rejection(first);
  for (auto other = failed.begin(); rejection == nullptr && other != failed.end(); ++other) {
    rejection = last_rejection(*other);
  }
  const bool everywhere = culprits.size() > 1 && is_every_rank(evidence, culprits.size());
  const std::string why = "every config of " + kernel_of(rejection) + " failed " +
                          (everywhere ? "on all ranks" : "there") +
                          (rejection == nullptr ? "" : ": " + std::string(rejection->reason)) +
                          (first == nullptr ? "" : stopped_at(*first));
  return Verdict{everywhere ? Ranks{} : Ranks(culprits.begin(), culprits.end()), why};
}

std::optional<Verdict> by_region_failure(const Evidence& evidence) {
  const auto told =
      evidence.failed_with([](const RunEnd& end) { return end.error_type == "RegionFailedError"; });
  const std::set<std::int64_t> failed = blamed_by(told);
  if (failed.empty()) {
    return std::nullopt;
  }
  const Ranks most = evidence.most_blamed({failed.begin(), failed.end()});
  const RankRun* first = evidence.run().find(most.front());
  const bool says_it_itself = first != nullptr && state_of(*first) == RankState::failed;
  return verdict_on(evidence, most, says_it_itself ? "" : heard(told));
}

std::optional<Verdict> by_own_error(const Evidence& evidence) {
  const bool all_ended =
      evidence.in(RankState::open).empty();  // a region may give up waiting for a lost rank
  const auto failed = evidence.failed_with([&](const RunEnd& end) {
    return end.error_type == "InvalidArgument" || end.error_type == "ConfigSpaceError" ||
           end.error_type == "Error" || (all_ended && region_threw(end));
  });
  const bool everywhere = is_every_rank(evidence, failed.size());
  return failed.empty() || everywhere
             ? std::nullopt
             : std::optional(verdict_on(evidence, evidence.most_blamed(rank_numbers(failed))));
}

std::optional<Verdict> by_lonely_throw(const Evidence& evidence) {
  const auto threw = evidence.failed_with(region_threw);
  const bool others_open = evidence.in(RankState::open).size() + 1 == evidence.run().ranks.size() &&
                           !evidence.in(RankState::open).empty();
  if (threw.size() != 1 || !others_open || !evidence.run().absent.empty()) {
    return std::nullopt;
  }
  return verdict_on(evidence, rank_numbers(threw),
                    "; the others' logs just end, as when a launcher ends them");
}

std::optional<Verdict> by_lonely_meeting(const Evidence& evidence) {
  const auto blames_itself = [](const RankRun& run) {
    const std::vector<std::int64_t> itself{run.rank};
    return run.end->error_type == "CommunicationError" && run.end->phase == RunStage::hello &&
           run.end->blamed_ranks == itself;
  };
  const std::vector<const RankRun*>& failed = evidence.in(RankState::failed);
  const bool alone = evidence.run().ranks.size() == 1 && failed.size() == 1;
  return alone && blames_itself(*failed.front()) ? std::optional(verdict_on(evidence, rank_numbers(failed)))
                                                 : std::nullopt;
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
  return verdict_on(evidence, evidence.most_blamed(rank_numbers(threw)));
}

std::optional<Verdict> by_own_absence(const Evidence& evidence) {
  Ranks away;
  for (const RankRun* run : evidence.in(RankState::failed)) {
    const std::vector<std::int64_t>& blamed = run->end->blamed_ranks;
    if (run->end->error_type == "CommunicationError" &&
        std::find(blamed.begin(), blamed.end(), run->rank) != blamed.end()) {
      away.push_back(run->rank);
    }
  }
  return away.empty() ? std::nullopt : std::optional(verdict_on(evidence, evidence.most_blamed(away)));
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
  return verdict_on(evidence, most);
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
  if (by_type.size() == 1 && rarest->second.size() > 1) {
    return Verdict{{}, "all ranks failed alike: " + own_words(evidence, rarest->second)};
  }
  return verdict_on(evidence, rarest->second);
}

}  // namespace contextual::log_report
