#include "analysis.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

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

/// "ranks 0-2: config-1; rank 3: config-0" of what each rank has.
std::string by_value(const std::map<std::string, std::vector<std::int64_t>>& ranks_of) {
  std::vector<std::pair<std::vector<std::int64_t>, std::string>> ordered;
  ordered.reserve(ranks_of.size());
  for (const auto& [value, ranks] : ranks_of) {
    ordered.emplace_back(ranks, value);
  }
  std::sort(ordered.begin(), ordered.end());
  std::string text;
  for (const auto& [ranks, value] : ordered) {
    text += (text.empty() ? "" : "; ") + ranks_text(ranks) + ": " + value;
  }
  return text;
}

using Values = std::map<std::string, std::vector<std::int64_t>>;

/// The first difference of one kind, and how many there are.
class Differences {
 public:
  void add(const std::string& place, Values values) {
    if (values.size() > 1 && count_++ == 0) {
      text_ = place + ": " + by_value(values);
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

std::string role_text(Role role) {
  switch (role) {
    case Role::warmup:
      return " warm-up";
    case Role::repeat:
      return " repeat";
    case Role::candidate:
      return " candidate";
    case Role::best:
      return " best";
    case Role::other:
      break;
  }
  return "";
}

std::string time_text(const std::optional<std::int64_t>& time_ns) {
  return time_ns ? std::to_string(*time_ns) + " ns" : "none";
}

std::string assignment_text(const Launch& launch) {
  return "config-" + std::to_string(launch.config.id) + role_text(launch.role);
}

/// What the ranks of a cell have; empty where they are alike, which is made sure of without building texts.
template <typename Equal, typename Text>
Values differing(const Cell& cell, const Equal& equal, const Text& text) {
  const Launch& first = cell.first();
  Values values;
  if (std::all_of(cell.ranks.begin(), cell.ranks.end(),
                  [&](const RankLaunch& rank) { return equal(*rank.launch, first); })) {
    return values;
  }
  for (const auto& [rank, launch] : cell.ranks) {
    values[text(*launch)].push_back(rank);
  }
  return values;
}

void compare_cells(const RunView& view, const std::set<const ProblemName*>& local, RunAnalysis& analysis) {
  Differences assignments;
  Differences times;
  Differences makespans;
  for (const Iteration& iteration : view.iterations) {
    const std::string place = "iteration " + std::to_string(iteration.number);
    const bool agreed = std::any_of(iteration.cells.begin(), iteration.cells.end(),
                                    [](const Cell& cell) { return cell.agreed_ns().has_value(); });
    if (agreed) {  // else no exchange took place: the final run, or a batch that failed
      makespans.add(place,
                    differing(
                        iteration.cells.front(),
                        [](const Launch& a, const Launch& b) { return a.makespan_ns == b.makespan_ns; },
                        [](const Launch& launch) { return time_text(launch.makespan_ns); }));
    }
    for (const Cell& cell : iteration.cells) {
      if (local.contains(cell.problem)) {
        continue;
      }
      const std::string where = place + ", " + name_of(*cell.problem);
      assignments.add(where, differing(
                                 cell,
                                 [](const Launch& a, const Launch& b) {
                                   return a.config.id == b.config.id && a.role == b.role;
                                 },
                                 assignment_text));
      times.add(where, differing(
                           cell, [](const Launch& a, const Launch& b) { return a.agreed_ns == b.agreed_ns; },
                           [](const Launch& launch) { return time_text(launch.agreed_ns); }));
    }
  }
  assignments.report("launched configs", analysis.disagreements);
  times.report("agreed times", analysis.disagreements);
  makespans.report("agreed makespans", analysis.disagreements);
}

void compare_choices(const RunView& view, const std::set<const ProblemName*>& local, RunAnalysis& analysis) {
  std::map<const ProblemName*, std::map<std::int64_t, std::int64_t>> last;  // problem -> rank -> config id
  for (const RankRun* rank : view.run->ranks) {
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
    if (values.size() > 1 && local.contains(problem)) {
      analysis.rank_differences.push_back("choice of " + name_of(*problem) + ": " + by_value(values));
    } else if (values.size() > 1) {
      analysis.disagreements.push_back({"choice of " + name_of(*problem), by_value(values)});
    }
  }
}

/// Runs of ranks that all ended well have the same iterations and the same options.
void compare_runs(const RunView& view, RunAnalysis& analysis) {
  Values options;
  Values iterations;
  for (const RankRun* rank : view.run->ranks) {
    if (rank->start) {
      options[std::string(rank->start->options)].push_back(rank->rank);
    }
    if (rank->end) {
      iterations[std::to_string(rank->end->walk_iterations) + " walk, " +
                 std::to_string(rank->end->finals_iterations) + " finals"]
          .push_back(rank->rank);
    }
  }
  if (options.size() > 1) {
    analysis.disagreements.push_back({"options", by_value(options)});
  }
  if (iterations.size() > 1 && analysis.ending.status == RunStatus::ok) {
    analysis.disagreements.push_back({"number of iterations", by_value(iterations)});
  }
}

}  // namespace

std::vector<Slowness> slowness_of(const RunView& view) {
  SlownessCollector region;
  std::map<const ProblemName*, SlownessCollector> problems;
  for (const Iteration& iteration : view.iterations) {
    std::map<std::int64_t, std::int64_t> makespans;
    bool warmup = false;
    for (const Cell& cell : iteration.cells) {
      std::vector<std::pair<std::int64_t, std::int64_t>> times;
      warmup = warmup || cell.first().role == Role::warmup;
      for (const auto& [rank, launch] : cell.ranks) {
        if (launch->local_ns && launch->role != Role::warmup) {
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

void compare_ranks(const RunView& view, const std::vector<ProblemResult>& problems, RunAnalysis& analysis) {
  std::set<const ProblemName*> local;
  for (const ProblemResult& problem : problems) {
    if (problem.local) {
      local.insert(problem.name);
    }
  }
  compare_choices(view, local, analysis);
  compare_cells(view, local, analysis);
  compare_runs(view, analysis);
}

}  // namespace contextual::log_report
