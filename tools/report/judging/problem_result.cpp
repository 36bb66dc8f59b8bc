#include "report/judging/problem_result.hpp"

#include "report/judging/statistics.hpp"

#include <algorithm>
#include <map>

namespace contextual::log_report {
namespace {

/// Everything about one problem, while it is collected.
struct Collected {
  std::map<std::int64_t, ConfigResult> configs;
  std::map<std::int64_t, std::vector<double>> makespans_ns;
  std::vector<const Choice*> choices;
};

using Problems = std::map<const ProblemName*, Collected>;

ConfigResult& config_of(Problems& problems, const ConfigName& name) {
  ConfigResult& config = problems[name.problem].configs[name.id];
  config.id = name.id;
  if (config.text.size() <= 2) {  // "{}" where a rank does not know the kernel
    config.text = name.values;
  }
  return config;
}

void collect_cell(Problems& problems, const Iteration& iteration, const Cell& cell) {
  Collected& collected = problems[cell.problem];
  std::optional<std::int64_t> agreed;
  for (const auto& [rank, launch] : cell.ranks) {
    config_of(problems, launch->config);
    agreed = agreed ? agreed : launch->agreed_ns;
  }
  const Launch& first = cell.first();
  if (iteration.phase == Phase::walk && first.role == LaunchRole::repeat && cell.all_ok() && agreed &&
      *agreed > 0) {
    config_of(problems, first.config).samples_ns.push_back(static_cast<double>(*agreed));
    if (iteration.makespan_ns) {
      collected.makespans_ns[first.config.id].push_back(static_cast<double>(*iteration.makespan_ns));
    }
  }
}

/// Keeps the rates of the first rank that has some, and none of another one: ranks may do different work.
void keep_first_rates(ConfigResult& config, const ConfigSummary& summary) {
  if (!config.teraflops_per_second && !config.gigabytes_per_second) {
    config.teraflops_per_second = summary.teraflops_per_second;
    config.gigabytes_per_second = summary.gigabytes_per_second;
  }
}

void collect_rank(Problems& problems, const RankRun& rank) {
  for (const ConfigSummary& summary : rank.summaries) {
    if (summary.config.problem != nullptr) {
      ConfigResult& config = config_of(problems, summary.config);
      config.summarized = true;
      keep_first_rates(config, summary);
    }
  }
  for (const Rejected& event : rank.rejected) {
    if (event.config.problem != nullptr) {
      ConfigResult& config = config_of(problems, event.config);
      config.rejected = true;
      config.rejection = config.rejection.empty() ? event.reason : config.rejection;
    }
  }
  std::map<const ProblemName*, std::vector<const Choice*>> choices;
  for (const Choice& choice : rank.choices) {
    if (choice.config.problem != nullptr) {
      config_of(problems, choice.config);
      choices[choice.config.problem].push_back(&choice);
    }
  }
  for (auto& [problem, made] : choices) {
    if (problems[problem].choices.empty()) {  // those of the lowest rank that has some
      problems[problem].choices = std::move(made);
    }
  }
}

ProblemResult closed(const ProblemName* name, Collected collected) {
  ProblemResult result;
  result.name = name;
  result.choices = std::move(collected.choices);
  // Of a run that began with what an earlier one has chosen there is a choice, and nothing else.
  const bool tried = std::any_of(collected.configs.begin(), collected.configs.end(), [](const auto& entry) {
    const ConfigResult& config = entry.second;
    return !config.samples_ns.empty() || config.summarized || config.rejected;
  });
  const bool began_with_choice = !tried && !result.choices.empty();
  std::int64_t next = 0;
  for (auto& [id, config] : collected.configs) {
    if (!began_with_choice && id > next) {
      result.not_measured.push_back({next, id - 1});
    }
    next = id + 1;
    config.median_ns = median_of(config.samples_ns);
    config.spread_ns = spread_of(config.samples_ns);
    config.makespan_ns = median_of(collected.makespans_ns[id]);
    config.chosen = !result.choices.empty() && result.choices.back()->config.id == id;
    result.configs.push_back(std::move(config));
  }
  return result;
}

/// A set: one config of each problem.
using ConfigOfProblem = std::map<const ProblemName*, std::int64_t>;

bool ran(const ConfigOfProblem& set, const Iteration& iteration) {
  return iteration.phase == Phase::search &&
         std::all_of(iteration.cells.begin(), iteration.cells.end(), [&](const Cell& cell) {
           const auto config = set.find(cell.problem);
           return std::all_of(cell.ranks.begin(), cell.ranks.end(), [&](const RankLaunch& rank) {
             const Launch& launch = *rank.launch;
             const bool as_in_set = config != set.end() && launch.config.id == config->second;
             return launch.status == LaunchStatus::not_launched ||
                    (as_in_set && launch.status == LaunchStatus::ok && !is_warmup(launch));
           });
         });
}

/// Sets `time_ns` of every problem that the set launched with a time.
void add_times_in(const ConfigOfProblem& set, const RunView& view, std::vector<ProblemResult>& results,
                  std::optional<double> ProblemResult::*time_ns) {
  std::map<const ProblemName*, std::vector<double>> samples_ns;
  for (const Iteration& iteration : view.iterations) {
    for (const Cell& cell : iteration.cells) {
      const std::optional<std::int64_t> agreed_ns = cell.agreed_ns();
      if (agreed_ns && *agreed_ns > 0 && ran(set, iteration)) {
        samples_ns[cell.problem].push_back(static_cast<double>(*agreed_ns));
      }
    }
  }
  for (ProblemResult& result : results) {
    if (const auto found = samples_ns.find(result.name); found != samples_ns.end()) {
      result.*time_ns = median_of(std::move(found->second));
    }
  }
}

/// What was chosen before has the same config in both sets.
void add_times_in_sets(const RunView& view, std::vector<ProblemResult>& results) {
  ConfigOfProblem chosen;
  ConfigOfProblem defaults;
  for (const ProblemResult& result : results) {
    const std::int64_t choice = result.choices.empty() ? 0 : result.choices.back()->config.id;
    chosen[result.name] = choice;
    defaults[result.name] = result.find(0) == nullptr ? choice : 0;
  }
  add_times_in(chosen, view, results, &ProblemResult::chosen_ns);
  add_times_in(defaults, view, results, &ProblemResult::defaults_ns);
}

}  // namespace

const ConfigResult* ProblemResult::find(std::int64_t id) const {
  const auto found =
      std::lower_bound(configs.begin(), configs.end(), id,
                       [](const ConfigResult& config, std::int64_t i) { return config.id < i; });
  return found != configs.end() && found->id == id ? &*found : nullptr;
}

std::vector<ProblemResult> problems_of(const RunView& view) {
  Problems problems;
  for (const Iteration& iteration : view.iterations) {
    for (const Cell& cell : iteration.cells) {
      collect_cell(problems, iteration, cell);
    }
  }
  for (const RankRun* rank : view.run->ranks) {
    collect_rank(problems, *rank);
  }
  std::vector<ProblemResult> results;
  for (const ProblemName* name : view.problems) {
    results.push_back(closed(name, std::move(problems[name])));
    problems.erase(name);
  }
  for (auto& [name, collected] : problems) {  // no launch of theirs was written
    results.push_back(closed(name, std::move(collected)));
  }
  add_times_in_sets(view, results);
  return results;
}

}  // namespace contextual::log_report
