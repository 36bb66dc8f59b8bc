#include "report/judging/rank_comparison.hpp"

#include "report/judging/ending.hpp"
#include "report/judging/problem_result.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace contextual::log_report {
namespace {

/// Adds what the ranks say, if it differs: "ranks 0-2: config-1; rank 3: config-0". `text` returns nothing
/// for a rank that says nothing.
template <typename Text>
void compare(const RunOfAllRanks& run, const std::string& what, const Text& text,
             std::vector<Disagreement>& disagreements) {
  std::map<std::string, std::vector<std::int64_t>> ranks_of;
  for (const RankRun* rank : run.ranks) {
    if (const std::optional<std::string> said = text(*rank)) {
      ranks_of[*said].push_back(rank->rank);
    }
  }
  std::vector<std::pair<std::vector<std::int64_t>, std::string>> ordered;
  ordered.reserve(ranks_of.size());
  for (auto& [said, ranks] : ranks_of) {
    ordered.emplace_back(std::move(ranks), said);
  }
  std::sort(ordered.begin(), ordered.end());
  if (ordered.size() > 1) {
    disagreements.push_back({what, joined(ordered, "; ", [](const auto& said) {
                               return ranks_text(said.first) + ": " + said.second;
                             })});
  }
}

/// The last one counts.
std::optional<std::string> choice_of(const RankRun& rank, const ProblemName* problem) {
  std::optional<std::string> choice;
  for (const Choice& each : rank.choices) {
    choice = each.config.problem == problem ? "config-" + std::to_string(each.config.id) : choice;
  }
  return choice;
}

std::optional<std::string> options_of(const RankRun& rank) {
  return rank.start ? std::optional(std::string(rank.start->options)) : std::nullopt;
}

/// One value a rank, for many iterations.
class SlownessCollector {
 public:
  /// Own times of one iteration, and the agreed one where it is known.
  void add(const std::vector<std::pair<std::int64_t, std::int64_t>>& own_ns, RankLaunch::Time agreed_ns) {
    if (own_ns.size() < 2) {
      return;
    }
    const auto slowest = std::max_element(own_ns.begin(), own_ns.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto agreed = static_cast<double>(agreed_ns ? *agreed_ns : slowest->second);
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

std::vector<Disagreement> disagreements_of(const RunOfAllRanks& run) {
  std::vector<Disagreement> disagreements;
  std::set<const ProblemName*> problems{nullptr};
  for (const RankRun* rank : run.ranks) {
    for (const Choice& choice : rank->choices) {
      if (const ProblemName* problem = choice.config.problem; problems.insert(problem).second) {
        compare(
            run, "choice of " + name_of(*problem),
            [&](const RankRun& other) { return choice_of(other, problem); }, disagreements);
      }
    }
  }
  compare(run, "options", options_of, disagreements);
  return disagreements;
}

std::vector<Slowness> slowness_of(const RunView& view) {
  SlownessCollector region;
  std::map<const ProblemName*, SlownessCollector> problems;
  for (const Iteration& iteration : view.iterations) {
    std::map<std::int64_t, std::int64_t> makespans;
    bool warmup = false;
    for (const Cell& cell : iteration.cells()) {
      std::vector<std::pair<std::int64_t, std::int64_t>> times;
      warmup = warmup || cell.front()->is_warmup();
      for (const RankLaunch* launch : cell) {
        if (launch->local_ns && !launch->is_warmup()) {
          times.emplace_back(launch->rank, *launch->local_ns);
        }
        if (launch->local_makespan_ns) {
          makespans.emplace(launch->rank, *launch->local_makespan_ns);
        }
      }
      problems[cell.problem()].add(times, cell.agreed_ns());
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
