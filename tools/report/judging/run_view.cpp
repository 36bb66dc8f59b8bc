#include "report/judging/run_view.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

namespace contextual::log_report {

RankLaunch::Time Cell::agreed_ns() const {
  const auto found =
      std::find_if(begin(), end(), [](const RankLaunch* launch) { return bool{launch->agreed_ns}; });
  return found == end() ? RankLaunch::Time(std::nullopt) : (*found)->agreed_ns;
}

bool Cell::all_ok() const {
  return std::all_of(begin(), end(),
                     [](const RankLaunch* launch) { return launch->status == LaunchStatus::ok; });
}

std::vector<Cell> Iteration::cells() const {
  std::vector<Cell> cells;
  for (auto first = launches.begin(); first != launches.end();) {
    const auto last = std::find_if(first, launches.end(), [&](const RankLaunch* launch) {
      return launch->problem() != (*first)->problem();
    });
    cells.push_back({{first, last}});
    first = last;
  }
  return cells;
}

RunView view_of(const RunOfAllRanks& run) {
  RunView view;
  struct Seen {
    std::int64_t iteration;
    std::size_t order;
  };
  std::unordered_map<const ProblemName*, Seen> seen;
  for (const RankRun* rank : run.ranks) {
    for (const RankLaunch& launch : rank->launches) {
      Seen& first =
          seen.try_emplace(launch.problem(), Seen{launch.tuning_iteration, seen.size()}).first->second;
      first.iteration = std::min(first.iteration, launch.tuning_iteration);
      view.launches.push_back(&launch);
    }
  }
  std::transform(seen.begin(), seen.end(), std::back_inserter(view.problems),
                 [](const auto& entry) { return entry.first; });
  std::sort(view.problems.begin(), view.problems.end(), [&](const ProblemName* a, const ProblemName* b) {
    return std::tie(seen.at(a).iteration, seen.at(a).order) <
           std::tie(seen.at(b).iteration, seen.at(b).order);
  });
  for (std::size_t i = 0; i < view.problems.size(); ++i) {
    seen.at(view.problems[i]).order = i;
  }
  const auto place = [&](const RankLaunch* launch) {
    return std::tuple(launch->tuning_iteration, seen.at(launch->problem()).order, launch->rank);
  };
  std::stable_sort(view.launches.begin(), view.launches.end(), [&](const RankLaunch* a, const RankLaunch* b) {
    return a->tuning_iteration != b->tuning_iteration ? a->tuning_iteration < b->tuning_iteration
                                                      : place(a) < place(b);
  });
  // A line that is there twice counts once.
  view.launches.erase(
      std::unique(view.launches.begin(), view.launches.end(),
                  [&](const RankLaunch* a, const RankLaunch* b) { return place(a) == place(b); }),
      view.launches.end());
  for (std::size_t first = 0; first < view.launches.size();) {
    Iteration iteration{view.launches[first]->tuning_iteration, view.launches[first]->phase, {}};
    std::size_t last = first;
    for (; last < view.launches.size() && view.launches[last]->tuning_iteration == iteration.number; ++last) {
      if (const auto makespan_ns = view.launches[last]->makespan_ns; *makespan_ns > *iteration.makespan_ns) {
        iteration.makespan_ns = makespan_ns;
      }
    }
    iteration.launches = std::span(view.launches).subspan(first, last - first);
    view.iterations.push_back(iteration);
    first = last;
  }
  return view;
}

}  // namespace contextual::log_report
