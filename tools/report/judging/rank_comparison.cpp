#include "report/judging/rank_comparison.hpp"

#include "report/judging/ending.hpp"
#include "report/judging/problem_result.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace contextual::log_report {
namespace {

/// Ranks by what they have.
using Values = std::map<std::string, std::vector<std::int64_t>>;

/// The first difference of one kind, and how many there are.
class Differences {
 public:
  /// Adds what the ranks have, if it differs: "ranks 0-2: config-1; rank 3: config-0".
  void add(const std::string& place, const Values& ranks_of) {
    if (ranks_of.size() < 2 || count_++ > 0) {
      return;
    }
    std::vector<std::pair<std::vector<std::int64_t>, std::string>> ordered;
    for (const auto& [value, ranks] : ranks_of) {
      ordered.emplace_back(ranks, value);
    }
    std::sort(ordered.begin(), ordered.end());
    text_ = place + joined(ordered, "; ",
                           [](const auto& said) { return ranks_text(said.first) + ": " + said.second; });
  }

  /// Compares the launches of several ranks by `get`; a text is made only where these differ.
  template <typename Get, typename Text>
  void add(const std::string& place, std::span<const RankLaunch* const> launches, const Get& get,
           const Text& text) {
    const auto alike = [&](const RankLaunch* launch) { return get(*launch) == get(*launches.front()); };
    if (!std::all_of(launches.begin(), launches.end(), alike)) {
      Values values;
      for (const RankLaunch* launch : launches) {
        values[text(*launch)].push_back(launch->rank);
      }
      add(place, values);
    }
  }

  void report(const std::string& what, std::vector<Disagreement>& disagreements) const {
    if (count_ > 0) {
      disagreements.push_back(
          {what, text_ + (count_ > 1 ? "; and " + std::to_string(count_ - 1) + " more" : "")});
    }
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

std::string role_text(LaunchRole role) {
  return role == LaunchRole::warmup    ? "warm-up"
         : role == LaunchRole::lead_in ? "lead-in"
                                       : std::string(enum_text(role));
}

std::string time_text(RankLaunch::Time time_ns) {
  return time_ns ? std::to_string(*time_ns) + " ns" : "none";
}

void compare_launches(const RunView& view, std::vector<Disagreement>& disagreements) {
  Differences assignments;
  Differences times;
  Differences makespans;
  for (const Iteration& iteration : view.iterations) {
    const std::string place = "iteration " + std::to_string(iteration.number);
    const std::vector<Cell> cells = iteration.cells();
    const auto is_agreed = [](const RankLaunch* launch) { return bool{launch->agreed_ns}; };
    if (std::any_of(iteration.launches.begin(), iteration.launches.end(), is_agreed)) {
      // Else no exchange took place: the final run, or a batch that failed.
      makespans.add(
          place + ": ", cells.front(), [](const RankLaunch& launch) { return launch.makespan_ns; },
          [](const RankLaunch& launch) { return time_text(launch.makespan_ns); });
    }
    for (const Cell& cell : cells) {
      const std::string where = place + ", " + name_of(*cell.problem()) + ": ";
      assignments.add(
          where, cell, [](const RankLaunch& launch) { return std::pair(launch.config->id, launch.role); },
          [](const RankLaunch& launch) {
            return "config-" + std::to_string(launch.config->id) + " " + role_text(launch.role);
          });
      times.add(
          where, cell, [](const RankLaunch& launch) { return launch.agreed_ns; },
          [](const RankLaunch& launch) { return time_text(launch.agreed_ns); });
    }
  }
  assignments.report("launched configs", disagreements);
  times.report("agreed times", disagreements);
  makespans.report("agreed makespans", disagreements);
}

void compare_choices(const RunOfAllRanks& run, std::vector<Disagreement>& disagreements) {
  std::map<const ProblemName*, std::map<std::int64_t, std::int64_t>> last;  // problem -> rank -> config id
  for (const RankRun* rank : run.ranks) {
    for (const Choice& choice : rank->choices) {
      if (choice.config.problem != nullptr) {
        last[choice.config.problem][rank->rank] = choice.config.id;
      }
    }
  }
  for (const auto& [problem, choices] : last) {
    Values values;
    for (const auto& [rank, id] : choices) {
      values["config-" + std::to_string(id)].push_back(rank);
    }
    Differences differences;
    differences.add("", values);
    differences.report("choice of " + name_of(*problem), disagreements);
  }
}

/// `text` is empty for a rank that says nothing.
template <typename Text>
void compare_runs(const RunOfAllRanks& run, const std::string& what, const Text& text,
                  std::vector<Disagreement>& disagreements) {
  Values values;
  for (const RankRun* rank : run.ranks) {
    if (const std::optional<std::string> said = text(*rank)) {
      values[*said].push_back(rank->rank);
    }
  }
  Differences differences;
  differences.add("", values);
  differences.report(what, disagreements);
}

std::optional<std::string> options_of(const RankRun& rank) {
  return rank.start ? std::optional(std::string(rank.start->options)) : std::nullopt;
}

std::optional<std::string> iterations_of(const RankRun& rank) {
  return std::to_string(rank.end->walk_iterations) + " walk, " + std::to_string(rank.end->search_iterations) +
         " search";
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

std::vector<Disagreement> disagreements_of(const RunOfAllRanks& run, const RunView& view) {
  std::vector<Disagreement> disagreements;
  compare_choices(run, disagreements);
  compare_launches(view, disagreements);
  compare_runs(run, "options", options_of, disagreements);
  // Ranks that ended well did so together; of others one may have stopped earlier.
  if (std::all_of(run.ranks.begin(), run.ranks.end(),
                  [](const RankRun* rank) { return state_of(*rank) == RankState::ok; })) {
    compare_runs(run, "number of iterations", iterations_of, disagreements);
  }
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
