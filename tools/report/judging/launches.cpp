#include "report/judging/launches.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

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
  for (const RankRun* rank : run.ranks) {
    for (const RankLaunch& launch : rank->launches) {
      view.launches.push_back(&launch);
    }
  }
  const auto by_iteration = [](const RankLaunch* a, const RankLaunch* b) {
    return a->tuning_iteration < b->tuning_iteration;
  };
  std::stable_sort(view.launches.begin(), view.launches.end(), by_iteration);
  std::unordered_map<const ProblemName*, std::size_t> order;
  for (const RankLaunch* launch : view.launches) {
    if (order.try_emplace(launch->problem(), order.size()).second) {
      view.problems.push_back(launch->problem());
    }
  }
  const auto place = [&](const RankLaunch* launch) {
    return std::tuple(launch->tuning_iteration, order.at(launch->problem()), launch->rank);
  };
  std::stable_sort(view.launches.begin(), view.launches.end(), [&](const RankLaunch* a, const RankLaunch* b) {
    return a->tuning_iteration != b->tuning_iteration ? by_iteration(a, b) : place(a) < place(b);
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

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  const double below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

std::vector<Slowness> slowness_of(const RunView& view) {
  using OwnTimes = std::map<std::int64_t, std::int64_t>;  // by rank
  struct Compared {
    std::size_t iterations = 0;
    std::map<std::int64_t, std::vector<double>> ratios;  // of each rank's own times to the longest ones
  };
  std::map<const ProblemName*, Compared> all;
  const auto compare = [&](const ProblemName* problem, const OwnTimes& own_ns) {
    std::int64_t longest_ns = 0;
    for (const auto& [rank, time_ns] : own_ns) {
      longest_ns = std::max(longest_ns, time_ns);
    }
    if (own_ns.size() > 1 && longest_ns > 0) {
      ++all[problem].iterations;
      for (const auto& [rank, time_ns] : own_ns) {
        all[problem].ratios[rank].push_back(static_cast<double>(time_ns) / static_cast<double>(longest_ns));
      }
    }
  };
  for (const Iteration& iteration : view.iterations) {
    OwnTimes makespans;
    bool warmup = false;
    for (const Cell& cell : iteration.cells()) {
      OwnTimes times;
      warmup = warmup || cell.front()->is_warmup();
      for (const RankLaunch* launch : cell) {
        if (launch->local_ns && !launch->is_warmup()) {
          times.emplace(launch->rank, *launch->local_ns);
        }
        if (launch->local_makespan_ns) {
          makespans.emplace(launch->rank, *launch->local_makespan_ns);
        }
      }
      compare(cell.problem(), times);
    }
    if (!warmup) {
      compare(nullptr, makespans);
    }
  }
  std::vector<const ProblemName*> order{nullptr};
  order.insert(order.end(), view.problems.begin(), view.problems.end());
  std::vector<Slowness> result;
  for (const ProblemName* problem : order) {
    const auto found = all.find(problem);
    if (found == all.end()) {
      continue;
    }
    Slowness slowness{problem, found->second.iterations, {}};
    for (const auto& [rank, ratios] : found->second.ratios) {
      const auto slowest = static_cast<double>(std::count(ratios.begin(), ratios.end(), 1.0));
      slowness.ranks.push_back({rank, slowest / static_cast<double>(slowness.iterations), median_of(ratios)});
    }
    std::stable_sort(
        slowness.ranks.begin(), slowness.ranks.end(),
        [](const RankShare& a, const RankShare& b) { return a.slowest_share > b.slowest_share; });
    result.push_back(std::move(slowness));
  }
  return result;
}

}  // namespace contextual::log_report
