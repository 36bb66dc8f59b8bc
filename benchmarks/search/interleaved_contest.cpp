#include "search/interleaved_contest.hpp"

#include "search/quantile.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace search_replay {
namespace {

std::vector<double> samples_from(const TrialLedger& ledger, const Assignment& assignment, std::size_t first) {
  const std::vector<double>& samples = ledger.samples_ns(assignment);
  const auto skipped = static_cast<std::ptrdiff_t>(std::min(first, samples.size()));
  return {samples.begin() + skipped, samples.end()};
}

/// Without samples of the reference its own samples are all there is.
double median_ratio(const std::vector<double>& samples, const std::vector<double>& reference) {
  std::vector<double> ratios;
  const std::size_t rounds = reference.empty() ? samples.size() : std::min(samples.size(), reference.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    ratios.push_back(samples[round] / (reference.empty() ? 1 : reference[round]));
  }
  return ratios.empty() ? std::numeric_limits<double>::infinity() : median(std::move(ratios));
}

}  // namespace

InterleavedContest::InterleavedContest(std::vector<Assignment> entrants, const TrialLedger& ledger)
    : entrants_(std::move(entrants)) {
  for (const Assignment& entrant : entrants_) {
    first_samples_.push_back(ledger.samples_ns(entrant).size());
  }
}

std::vector<contextual::SearchTrial> InterleavedContest::trials(std::size_t rounds) const {
  std::vector<contextual::SearchTrial> trials;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const Assignment& entrant : entrants_) {
      trials.push_back({entrant, 1});
    }
  }
  return trials;
}

std::vector<Assignment> InterleavedContest::ranking(const TrialLedger& ledger) const {
  std::vector<double> reference;
  std::vector<std::pair<double, Assignment>> ranked;
  for (std::size_t e = 0; e < entrants_.size(); ++e) {
    if (!ledger.usable(entrants_[e])) {
      continue;
    }
    const std::vector<double> samples = samples_from(ledger, entrants_[e], first_samples_[e]);
    reference = ranked.empty() ? samples : reference;
    ranked.emplace_back(median_ratio(samples, reference), entrants_[e]);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Assignment> ranking;
  for (auto& [ratio, entrant] : ranked) {
    ranking.push_back(std::move(entrant));
  }
  return ranking;
}

}  // namespace search_replay
