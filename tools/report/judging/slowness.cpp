#include "report/judging/slowness.hpp"

#include "report/judging/statistics.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace contextual::log_report {
namespace {

/// One value a rank, for many iterations.
class SlownessCollector {
 public:
  /// Own times of one iteration, and the agreed one where it is known.
  void add(const std::vector<std::pair<std::int64_t, std::int64_t>>& own_ns,
           std::optional<std::int64_t> agreed_ns) {
    if (own_ns.size() < 2) {
      return;
    }
    const auto slowest = std::max_element(own_ns.begin(), own_ns.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto agreed = static_cast<double>(agreed_ns.value_or(slowest->second));
    if (agreed <= 0) {
      return;
    }
    ++iterations_;
    for (const auto& [rank, time_ns] : own_ns) {
      ranks_[rank].slowest += time_ns == slowest->second ? 1 : 0;
      ranks_[rank].ratios.push_back(static_cast<double>(time_ns) / agreed);
    }
  }

  Slowness result(const ProblemName* problem) {
    Slowness slowness;
    slowness.problem = problem;
    slowness.iterations = iterations_;
    for (auto& [rank, counts] : ranks_) {
      slowness.ranks.push_back({rank, static_cast<double>(counts.slowest) / static_cast<double>(iterations_),
                                median_of(std::move(counts.ratios))});
    }
    std::stable_sort(
        slowness.ranks.begin(), slowness.ranks.end(),
        [](const RankShare& a, const RankShare& b) { return a.slowest_share > b.slowest_share; });
    return slowness;
  }

  bool empty() const { return iterations_ == 0; }

 private:
  struct Counts {
    std::size_t slowest = 0;
    std::vector<double> ratios;
  };
  std::size_t iterations_ = 0;
  std::map<std::int64_t, Counts> ranks_;
};

}  // namespace

std::vector<Slowness> slowness_of(const RunView& view) {
  SlownessCollector region;
  std::map<const ProblemName*, SlownessCollector> problems;
  for (const Iteration& iteration : view.iterations) {
    std::map<std::int64_t, std::int64_t> makespans;
    bool warmup = false;
    for (const Cell& cell : iteration.cells) {
      std::vector<std::pair<std::int64_t, std::int64_t>> times;
      warmup = warmup || is_warmup(cell.first());
      for (const auto& [rank, launch] : cell.ranks) {
        if (launch->local_ns && !is_warmup(*launch)) {
          times.emplace_back(rank, *launch->local_ns);
        }
        if (launch->local_makespan_ns) {
          makespans.emplace(rank, *launch->local_makespan_ns);
        }
      }
      problems[cell.problem].add(times, cell.agreed_ns());
    }
    if (!warmup) {
      region.add({makespans.begin(), makespans.end()}, iteration.makespan_ns);
    }
  }
  std::vector<Slowness> all;
  if (!region.empty()) {
    all.push_back(region.result(nullptr));
  }
  for (const ProblemName* problem : view.problems) {
    if (!problems[problem].empty()) {
      all.push_back(problems[problem].result(problem));
    }
  }
  return all;
}

}  // namespace contextual::log_report
