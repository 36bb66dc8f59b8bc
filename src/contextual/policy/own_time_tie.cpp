#include "contextual/policy/own_time_tie.hpp"

#include "contextual/policy/statistics.hpp"
#include "contextual/policy/tie.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace contextual::policy {
namespace {

using Rounds = std::vector<std::vector<std::int64_t>>;

Summary summary_of(const Rounds& own_ns, std::size_t candidate, Statistic statistic) {
  std::vector<std::int64_t> times;
  times.reserve(own_ns.size());
  for (const std::vector<std::int64_t>& round : own_ns) {
    times.push_back(round[candidate]);
  }
  return summarize(times, statistic);
}

Summary paired_differences(const Rounds& own_ns, std::size_t candidate, std::size_t other,
                           Statistic statistic) {
  std::vector<std::int64_t> differences;
  differences.reserve(own_ns.size());
  for (const std::vector<std::int64_t>& round : own_ns) {
    differences.push_back(round[candidate] - round[other]);
  }
  return summarize(differences, statistic);
}

bool is_slower_for_sure(const Comparison& slower, double margin_ns) {
  return slower.slower_by_ns - unlikely_errors * slower.error_ns > margin_ns;
}

/// Neither a tie nor a difference for sure.
bool is_close(const Comparison& slower, double margin_ns) {
  return !is_slower_for_sure(slower, margin_ns) &&
         slower.slower_by_ns + unlikely_errors * slower.error_ns > margin_ns;
}

}  // namespace

OwnTimeDecision decide_by_own_time(const std::vector<Rank>& ranks, const Rounds& own_ns, double tie_margin,
                                   Statistic statistic) {
  std::vector<std::size_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  std::vector<Summary> own(ranks.size());  // by candidate
  for (std::size_t candidate = 0; candidate < own.size(); ++candidate) {
    own[candidate] = summary_of(own_ns, candidate, statistic);
  }
  const std::size_t fastest = *std::min_element(
      by_rank.begin(), by_rank.end(), [&](auto a, auto b) { return own[a].centre_ns < own[b].centre_ns; });
  std::sort(by_rank.begin(), by_rank.end(), [&](auto a, auto b) { return ranks[a] < ranks[b]; });
  const double margin_ns = tie_margin * own[fastest].centre_ns;
  std::vector<Comparison> slower(ranks.size());  // than the fastest, by candidate
  for (std::size_t candidate = 0; candidate < slower.size(); ++candidate) {
    const Summary difference = paired_differences(own_ns, candidate, fastest, statistic);
    slower[candidate] = {difference.centre_ns, difference.standard_error_ns,
                         samples_overlap(own[candidate], own[fastest])};
  }

  // The fastest ties with itself, so one is found.
  const auto first = std::find_if(by_rank.begin(), by_rank.end(), [&](std::size_t candidate) {
    return is_tie(slower[candidate], margin_ns);
  });
  OwnTimeDecision decision;
  decision.fastest = fastest;
  // Those of a better rank might tie as well, and the winner might not.
  const bool open = std::any_of(by_rank.begin(), first + 1, [&](std::size_t candidate) {
    return candidate != fastest && is_close(slower[candidate], margin_ns);
  });
  if (open) {
    std::copy_if(by_rank.begin(), by_rank.end(), std::back_inserter(decision.close),
                 [&](std::size_t candidate) { return !is_slower_for_sure(slower[candidate], margin_ns); });
  }
  decision.told = !is_tie(slower[0], margin_ns);
  const auto shorter_by = [&](std::size_t candidate) {
    return paired_differences(own_ns, 0, candidate, statistic).centre_ns;
  };
  decision.winner = decision.told && shorter_by(*first) <= 0 ? fastest : *first;
  decision.shorter = shorter_by(decision.winner) / own[0].centre_ns;
  return decision;
}

}  // namespace contextual::policy
