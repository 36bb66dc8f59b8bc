#include "report/judging/problem_result.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

namespace contextual::log_report {
namespace {

/// 1.4826 x the median absolute deviation; 0 for no values.
double spread_of(const std::vector<double>& values) {
  const double centre = median_of(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - centre));
  }
  return 1.4826 * median_of(std::move(distances));
}

/// Everything about one problem, while it is collected.
struct Collected {
  std::map<std::int64_t, ConfigResult> configs{};
  std::map<std::int64_t, std::vector<double>> makespans_ns{};
  std::vector<const Choice*> choices{};
  bool tried = false;  ///< a config was measured or rejected

  ConfigResult& config_of(const ConfigName& name) {
    ConfigResult& config = configs[name.id];
    config.id = name.id;
    if (config.text.all.size() <= 2) {  // "{}" where a rank does not know the kernel
      config.text = name.values;
    }
    return config;
  }

  void add(const Iteration& iteration, const Cell& cell) {
    for (const RankLaunch* launch : cell) {
      config_of(*launch->config);
    }
    const RankLaunch& first = *cell.front();
    const RankLaunch::Time agreed_ns = cell.agreed_ns();
    if (iteration.phase == Phase::walk && first.role == LaunchRole::repeat && cell.all_ok() &&
        *agreed_ns > 0) {
      tried = true;
      config_of(*first.config).samples_ns.push_back(static_cast<double>(*agreed_ns));
      if (iteration.makespan_ns) {
        makespans_ns[first.config->id].push_back(static_cast<double>(*iteration.makespan_ns));
      }
    }
  }

  /// Keeps the rates of the first rank that has some, and none of another one: ranks may do different work.
  void add(const ConfigSummary& summary) {
    tried = true;
    ConfigResult& config = config_of(summary.config);
    if (!config.teraflops_per_second && !config.gigabytes_per_second) {
      config.teraflops_per_second = summary.teraflops_per_second;
      config.gigabytes_per_second = summary.gigabytes_per_second;
    }
  }

  void add(const Rejected& event) {
    tried = true;
    ConfigResult& config = config_of(event.config);
    config.rejected = true;
    config.rejection = config.rejection.empty() ? event.reason : config.rejection;
  }

  void add(const Choice& event) {
    config_of(event.config);
    choices.push_back(&event);
  }

  ProblemResult closed(const ProblemName* name) && {
    ProblemResult result{.name = name, .configs = {}, .not_measured = {}, .choices = std::move(choices)};
    // Of a run that began with what an earlier one has chosen there is a choice, and nothing else.
    const bool began_with_choice = !tried && result.choice() != nullptr;
    std::int64_t next = 0;
    for (auto& [id, config] : configs) {
      if (!began_with_choice && id > next) {
        result.not_measured.push_back({next, id - 1});
      }
      next = id + 1;
      config.median_ns = median_of(config.samples_ns);
      config.spread_ns = spread_of(config.samples_ns);
      config.makespan_ns = median_of(makespans_ns[id]);
      config.chosen = result.choice() != nullptr && result.choice()->config.id == id;
      result.configs.push_back(std::move(config));
    }
    return result;
  }
};

using Problems = std::map<const ProblemName*, Collected>;

template <typename Event>
void collect(Problems& problems, const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (event.config.problem != nullptr) {
      problems[event.config.problem].add(event);
    }
  }
}

/// The choices of the lowest rank that has some.
void collect_choices(Problems& problems, const RankRun& rank) {
  Problems of_rank;
  collect(of_rank, rank.choices);
  for (auto& [name, made] : of_rank) {
    Collected& problem = problems[name];
    for (const auto& [id, config] : made.configs) {
      problem.config_of({name, id, config.text});
    }
    if (problem.choices.empty()) {
      problem.choices = std::move(made.choices);
    }
  }
}

/// A set: one config of each problem.
using ConfigOfProblem = std::map<const ProblemName*, std::int64_t>;

bool ran(const ConfigOfProblem& set, const Iteration& iteration) {
  return iteration.phase == Phase::search &&
         std::all_of(iteration.launches.begin(), iteration.launches.end(), [&](const RankLaunch* launch) {
           const auto config = set.find(launch->problem());
           const bool as_in_set = config != set.end() && launch->config->id == config->second;
           return launch->status == LaunchStatus::not_launched ||
                  (as_in_set && launch->status == LaunchStatus::ok && !launch->is_warmup());
         });
}

/// Sets `time_ns` of every problem that the set launched with a time.
void add_times_in(const ConfigOfProblem& set, const RunView& view, std::vector<ProblemResult>& results,
                  std::optional<double> ProblemResult::*time_ns) {
  std::map<const ProblemName*, std::vector<double>> samples_ns;
  for (const Iteration& iteration : view.iterations) {
    if (!ran(set, iteration)) {
      continue;
    }
    for (const Cell& cell : iteration.cells()) {
      if (const RankLaunch::Time agreed_ns = cell.agreed_ns(); *agreed_ns > 0) {
        samples_ns[cell.problem()].push_back(static_cast<double>(*agreed_ns));
      }
    }
  }
  for (ProblemResult& result : results) {
    if (const auto found = samples_ns.find(result.name); found != samples_ns.end()) {
      result.*time_ns = median_of(std::move(found->second));
    }
  }
}

}  // namespace

const ConfigResult* ProblemResult::find(std::int64_t id) const {
  const auto found =
      std::lower_bound(configs.begin(), configs.end(), id,
                       [](const ConfigResult& config, std::int64_t i) { return config.id < i; });
  return found != configs.end() && found->id == id ? &*found : nullptr;
}

std::vector<ProblemResult> problems_of(const RunOfAllRanks& run, const RunView& view) {
  Problems problems;
  for (const Iteration& iteration : view.iterations) {
    for (const Cell& cell : iteration.cells()) {
      problems[cell.problem()].add(iteration, cell);
    }
  }
  for (const RankRun* rank : run.ranks) {
    collect(problems, rank->summaries);
    collect(problems, rank->rejected);
    collect_choices(problems, *rank);
  }
  std::vector<ProblemResult> results;
  for (const ProblemName* name : view.problems) {
    results.push_back(std::move(problems[name]).closed(name));
    problems.erase(name);
  }
  const std::size_t launched = results.size();
  for (auto& [name, collected] : problems) {  // no launch of theirs was written
    results.push_back(std::move(collected).closed(name));
  }
  std::sort(
      results.begin() + static_cast<std::ptrdiff_t>(launched), results.end(),
      [](const ProblemResult& a, const ProblemResult& b) { return name_of(*a.name) < name_of(*b.name); });
  ConfigOfProblem chosen;
  ConfigOfProblem defaults;
  for (const ProblemResult& result : results) {  // what was chosen before has the same config in both sets
    chosen[result.name] = result.choice() == nullptr ? 0 : result.choice()->config.id;
    defaults[result.name] = result.find(0) == nullptr ? chosen[result.name] : 0;
  }
  add_times_in(chosen, view, results, &ProblemResult::chosen_ns);
  add_times_in(defaults, view, results, &ProblemResult::defaults_ns);
  return results;
}

}  // namespace contextual::log_report
