#include "contextual/testing/search_scenario.hpp"

#include <algorithm>

namespace contextual::testing {
namespace {

/// A number that differs between most assignments, and is 0 for the defaults.
std::size_t number_of(const Assignment& assignment) {
  std::size_t number = 0;
  for (std::size_t p = 0; p < assignment.size(); ++p) {
    number += assignment[p] * (2 * p + 1);
  }
  return number;
}

/// Every other problem has configs with parameters.
SearchRequest request_of(const std::vector<std::size_t>& config_counts, std::int64_t max_runs) {
  SearchRequest request;
  for (std::size_t p = 0; p < config_counts.size(); ++p) {
    SearchProblem problem{"kernel_" + std::to_string(p), "", {}};
    for (std::size_t config = 0; config < config_counts[p]; ++config) {
      problem.configs.emplace_back();
      if (p % 2 == 0) {
        problem.configs.back().parameters.set("tile", static_cast<int>(config % 3));
        problem.configs.back().parameters.set("stages", static_cast<int>(config / 3));
      }
    }
    request.problems.push_back(std::move(problem));
  }
  request.start.assign(config_counts.size(), 0);
  request.max_runs = max_runs;
  request.seed = 5;
  return request;
}

/// Leaves out every config for which `left_out` is true, but never all of a problem.
template <typename LeftOut>
SearchRequest without(SearchRequest request, LeftOut left_out) {
  for (SearchProblem& problem : request.problems) {
    for (std::size_t config = 0; config < problem.configs.size() && problem.configs.size() > 1; ++config) {
      problem.configs[config].candidate = !left_out(config);
    }
  }
  return request;
}

/// With a walk that ran the defaults well and the last configs without success.
SearchRequest walked(SearchRequest request) {
  SearchSample sample{request.start, {}};
  for (int run = 0; run < 3; ++run) {
    sample.runs.push_back(
        {100000 + run, std::vector<std::optional<std::int64_t>>(request.start.size(), 900)});
  }
  request.walked.push_back(sample);
  Assignment last;
  for (const SearchProblem& problem : request.problems) {
    last.push_back(problem.configs.size() - 1);
  }
  if (last != request.start) {
    request.walked.push_back({last, {}});
  }
  return request;
}

std::vector<std::pair<std::size_t, std::size_t>> all_configs(const SearchRequest& request,
                                                             std::size_t problem) {
  std::vector<std::pair<std::size_t, std::size_t>> configs;
  for (std::size_t config = 0; config < request.problems[problem].configs.size(); ++config) {
    configs.emplace_back(problem, config);
  }
  return configs;
}

SearchScenario scenario_of(const SearchRequest& request, std::string event) {
  SearchScenario scenario;
  scenario.request = request;
  scenario.event = std::move(event);
  return scenario;
}

void add_rejections(const SearchRequest& request, std::vector<SearchScenario>& scenarios) {
  const std::size_t last = request.problems.size() - 1;
  for (const std::size_t batches : {0U, 1U, 9U}) {
    SearchScenario some = scenario_of(request, "configs rejected");
    some.rejected = {{0, 0}, {last, request.problems[last].configs.size() - 1}};
    some.reject_after_batches = batches;
    scenarios.push_back(some);
    SearchScenario all = scenario_of(request, "all configs of a problem rejected");
    all.rejected = all_configs(request, last);
    all.reject_after_batches = batches;
    scenarios.push_back(all);
  }
}

/// Everything that happens to one shape of request.
void add_scenarios(const SearchRequest& request, std::vector<SearchScenario>& scenarios) {
  scenarios.push_back(scenario_of(request, ""));
  scenarios.push_back(
      scenario_of(without(request, [](std::size_t config) { return config % 2 == 1; }), "some left out"));
  scenarios.push_back(
      scenario_of(without(request, [](std::size_t config) { return config == 0; }), "defaults left out"));
  scenarios.push_back(
      scenario_of(without(request, [](std::size_t config) { return config != 1; }), "one candidate each"));
  scenarios.push_back(scenario_of(walked(request), "after a walk"));
  for (const std::size_t every : {1U, 3U}) {
    scenarios.push_back(scenario_of(request, every == 1 ? "all infeasible" : "a third infeasible"));
    scenarios.back().infeasible_every = every;
  }
  for (const std::int64_t every : {1, 3}) {
    scenarios.push_back(
        scenario_of(request, every == 1 ? "all makespans missing" : "some makespans missing"));
    scenarios.back().missing_every = every;
  }
  scenarios.push_back(scenario_of(request, "equal makespans"));
  scenarios.back().equal_makespans = true;
  scenarios.push_back(scenario_of(request, "batches cut short"));
  scenarios.back().cut_batches = true;
  scenarios.push_back(scenario_of(request, "a later run fails"));
  scenarios.back().fails_at_run = 7;
  scenarios.push_back(scenario_of(request, "the best ruled out"));
  scenarios.back().lose_after_batches = 4;
  add_rejections(request, scenarios);
}

}  // namespace

std::string SearchScenario::describe() const {
  std::string text = "configs";
  for (const SearchProblem& problem : request.problems) {
    text += " " + std::to_string(problem.configs.size());
  }
  text += ", max_runs " + std::to_string(request.max_runs);
  return event.empty() ? text : text + ", " + event;
}

bool SearchScenario::succeeds(const Assignment& assignment, std::int64_t run) const {
  const bool feasible = infeasible_every == 0 || number_of(assignment) % infeasible_every != 0;
  return feasible && run != fails_at_run;
}

SearchRun SearchScenario::measure(const Assignment& assignment, std::int64_t run, bool lead_in) const {
  SearchRun measured;
  std::int64_t makespan_ns = 100000;
  if (!equal_makespans) {
    for (std::size_t p = 0; p < assignment.size(); ++p) {
      makespan_ns += static_cast<std::int64_t>((assignment[p] * 7 + p) % 5) * 3000;
    }
    makespan_ns += run * 37 % 11 * 20;
    makespan_ns += lead_in ? 9000 : 0;
  }
  if (missing_every == 0 || run % missing_every != 0) {
    measured.makespan_ns = makespan_ns;
  }
  measured.times_ns.assign(assignment.size(), makespan_ns / 2);
  return measured;
}

std::vector<SearchScenario> search_scenarios() {
  std::vector<SearchScenario> scenarios;
  for (const std::int64_t max_runs : {1, 2, 3, 5, 12, 30}) {
    for (const std::vector<std::size_t>& config_counts :
         {std::vector<std::size_t>{1}, {5}, {2, 3}, {4, 1, 3, 5}}) {
      add_scenarios(request_of(config_counts, max_runs), scenarios);
    }
  }
  add_scenarios(request_of({3, 2, 4}, 60), scenarios);
  scenarios.push_back(scenario_of(request_of({12, 4}, 200), ""));
  scenarios.push_back(scenario_of(request_of({12, 12, 12, 12}, 30), "a third infeasible"));
  scenarios.back().infeasible_every = 3;
  return scenarios;
}

}  // namespace contextual::testing
