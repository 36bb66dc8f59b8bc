#include "contextual/policy/own_time_tie.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace contextual::policy {
namespace {

using Rounds = std::vector<std::vector<std::int64_t>>;

double centre_of(const Rounds& own_ns, std::size_t candidate, Statistic statistic) {
  std::vector<std::int64_t> times;
  times.reserve(own_ns.size());
  for (const std::vector<std::int64_t>& round : own_ns) {
    times.push_back(round[candidate]);
  }
  return summarize(times, statistic).centre_ns;
}

/// Of the paired differences.
Summary slower_by(const Rounds& own_ns, std::size_t candidate, std::size_t other, Statistic statistic) {
  std::vector<std::int64_t> differences;
  differences.reserve(own_ns.size());
  for (const std::vector<std::int64_t>& round : own_ns) {
    differences.push_back(round[candidate] - round[other]);
  }
  return summarize(differences, statistic);
}

bool ties(const Summary& slower, double margin_ns) {
  return slower.centre_ns <= std::max(margin_ns, 2 * slower.standard_error_ns);
}

bool is_slower_for_sure(const Summary& slower, double margin_ns) {
  return slower.centre_ns - unlikely_errors * slower.standard_error_ns > margin_ns;
}

/// Neither a tie nor a difference for sure.
bool is_close(const Summary& slower, double margin_ns) {
  return !is_slower_for_sure(slower, margin_ns) &&
         slower.centre_ns + unlikely_errors * slower.standard_error_ns > margin_ns;
}

}  // namespace

OwnTimeDecision decide_by_own_time(const std::vector<Rank>& ranks, const Rounds& own_ns, double tie_margin,
                                   Statistic statistic) {
  std::vector<std::size_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), std::size_t{0});
  const std::size_t fastest = *std::min_element(by_rank.begin(), by_rank.end(), [&](auto a, auto b) {
    return centre_of(own_ns, a, statistic) < centre_of(own_ns, b, statistic);
  });
  std::sort(by_rank.begin(), by_rank.end(), [&](auto a, auto b) { return ranks[a] < ranks[b]; });
  const double margin_ns = tie_margin * centre_of(own_ns, fastest, statistic);
  std::vector<Summary> slower(ranks.size());  // than the fastest, by candidate
  for (std::size_t candidate = 0; candidate < slower.size(); ++candidate) {
    slower[candidate] = slower_by(own_ns, candidate, fastest, statistic);
  }

  // The fastest ties with itself, so one is found.
  const auto first = std::find_if(by_rank.begin(), by_rank.end(),
                                  [&](std::size_t candidate) { return ties(slower[candidate], margin_ns); });
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
  decision.told = !ties(slower[0], margin_ns);
  const auto shorter_by = [&](std::size_t candidate) {
    return slower_by(own_ns, 0, candidate, statistic).centre_ns;
  };
  decision.winner = decision.told && shorter_by(*first) <= 0 ? fastest : *first;
  decision.shorter = shorter_by(decision.winner) / centre_of(own_ns, 0, statistic);
  return decision;
}

}  // namespace contextual::policy
