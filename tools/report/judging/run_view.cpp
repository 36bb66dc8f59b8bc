#include "report/judging/run_view.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace contextual::log_report {
namespace {

struct Row {
  std::int64_t iteration;
  std::size_t problem;  ///< index in RunView::problems
  std::int64_t rank;
  const Launch* launch;
};

std::vector<Row> rows_of(RunView& view) {
  std::unordered_map<const ProblemName*, std::pair<std::int64_t, std::size_t>>
      seen;  // first iteration, order
  for (const RankRun* rank : view.run->ranks) {
    for (const Launch& launch : rank->launches) {
      const auto [found, is_new] =
          seen.try_emplace(launch.config.problem, launch.tuning_iteration, seen.size());
      found->second.first = std::min(found->second.first, launch.tuning_iteration);
    }
  }
  for (const auto& [problem, when] : seen) {
    view.problems.push_back(problem);
  }
  std::sort(view.problems.begin(), view.problems.end(),
            [&](const ProblemName* a, const ProblemName* b) { return seen.at(a) < seen.at(b); });
  std::unordered_map<const ProblemName*, std::size_t> index;
  for (std::size_t i = 0; i < view.problems.size(); ++i) {
    index[view.problems[i]] = i;
  }
  std::vector<Row> rows;
  for (const RankRun* rank : view.run->ranks) {
    for (const Launch& launch : rank->launches) {
      rows.push_back({launch.tuning_iteration, index[launch.config.problem], rank->rank, &launch});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.iteration, a.problem, a.rank) < std::tie(b.iteration, b.problem, b.rank);
  });
  return rows;
}

}  // namespace

std::optional<std::int64_t> Cell::agreed_ns() const {
  for (const RankLaunch& rank : ranks) {
    if (rank.launch->agreed_ns) {
      return rank.launch->agreed_ns;
    }
  }
  return std::nullopt;
}

bool Cell::all_ok() const {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const RankLaunch& rank) { return rank.launch->status == LaunchStatus::ok; });
}

RunView view_of(const RunOfAllRanks& run) {
  RunView view;
  view.run = &run;
  for (const Row& row : rows_of(view)) {
    if (view.iterations.empty() || view.iterations.back().number != row.iteration) {
      view.iterations.push_back({row.iteration, row.launch->phase, {}, {}});
    }
    Iteration& iteration = view.iterations.back();
    iteration.makespan_ns = std::max(iteration.makespan_ns, row.launch->makespan_ns);
    const ProblemName* problem = view.problems[row.problem];
    if (iteration.cells.empty() || iteration.cells.back().problem != problem) {
      iteration.cells.push_back({problem, {}});
    }
    std::vector<RankLaunch>& ranks = iteration.cells.back().ranks;
    if (ranks.empty() || ranks.back().rank != row.rank) {  // a line that is there twice counts once
      ranks.push_back({row.rank, row.launch});
    }
  }
  return view;
}

}  // namespace contextual::log_report
