#include "report/judging/runs.hpp"

#include "report/format/quantities.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace contextual::log_report {

const RankRun* RunOfAllRanks::find(std::int64_t rank) const {
  const auto found = std::lower_bound(ranks.begin(), ranks.end(), rank,
                                      [](const RankRun* run, std::int64_t r) { return run->rank < r; });
  return found != ranks.end() && (*found)->rank == rank ? *found : nullptr;
}

namespace {

/// Ranks arrive within the deadline, by default a minute; their clocks may differ a little.
constexpr std::int64_t join_window_s = 120;

/// A damaged line may say that there are very many ranks.
constexpr std::size_t most_absent = 10'000;

/// Runs that nothing tells apart are compared with this many older ones at most.
constexpr std::size_t join_candidates = 64;

std::optional<std::int64_t> start_of(const RankRun& run) {
  return run.start ? seconds_of(run.start->time_iso8601) : std::nullopt;
}

std::int64_t rank_count_of(const RankRun& run) {
  return run.start ? run.start->rank_count : 0;
}

bool near(const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
  return a && b && std::max(*a, *b) - std::min(*a, *b) <= join_window_s;
}

void add(RunOfAllRanks& group, const RankRun* run) {
  const auto after = std::upper_bound(group.ranks.begin(), group.ranks.end(), run,
                                      [](const RankRun* a, const RankRun* b) { return a->rank < b->rank; });
  group.ranks.insert(after, run);
  group.rank_count = std::max({group.rank_count, rank_count_of(*run), run->rank + 1});
  if (const auto start = start_of(*run); start && (!group.started_s || *start < *group.started_s)) {
    group.started_s = start;
  }
}

RunOfAllRanks group_of(const RankRun* run) {
  RunOfAllRanks group;
  group.id = run->hello ? run->hello->tuning_id : run->run_id;
  group.met = run->hello.has_value();
  group.region = run->region;
  add(group, run);
  return group;
}

using Groups = std::vector<RunOfAllRanks>;

/// Joins runs of one tuning_id and region; of those without an id, runs of one region and number of ranks
/// that began near each other. Ids are made of host-local numbers, so equal ones need not mean one run: a run
/// goes to the oldest group that lacks its rank, as the n-th try of one rank belongs to the n-th try of
/// another.
Groups join_alike(const std::vector<const RankRun*>& runs) {
  std::map<std::tuple<std::string_view, std::string_view, std::int64_t>, Groups> by_key;
  for (const RankRun* run : runs) {
    Groups& groups = run->hello ? by_key[{run->hello->tuning_id, run->region, 0}]
                                : by_key[{"", run->region, rank_count_of(*run)}];
    const auto first = groups.size() > join_candidates ? groups.end() - join_candidates : groups.begin();
    const auto found = std::find_if(first, groups.end(), [&](const RunOfAllRanks& group) {
      return (run->hello || near(group.started_s, start_of(*run))) && group.find(run->rank) == nullptr;
    });
    if (found != groups.end()) {
      add(*found, run);
    } else {
      groups.push_back(group_of(run));
    }
  }
  Groups all;
  for (auto& [key, groups] : by_key) {
    std::move(groups.begin(), groups.end(), std::back_inserter(all));
  }
  return all;
}

/// Moves runs without a tuning_id to a group that lacks just their rank: a process may have died between the
/// hello and the line that says so.
void move_to_met(std::vector<const RankRun*>& runs, Groups& met) {
  std::map<std::pair<std::string_view, std::int64_t>, std::vector<RunOfAllRanks*>> incomplete;
  for (RunOfAllRanks& group : met) {
    if (static_cast<std::int64_t>(group.ranks.size()) < group.rank_count) {
      incomplete[{group.region, group.rank_count}].push_back(&group);
    }
  }
  std::erase_if(runs, [&](const RankRun* run) {
    const auto distance = [&](const RunOfAllRanks* group) {
      return std::abs(*group->started_s - *start_of(*run));
    };
    RunOfAllRanks* nearest = nullptr;
    for (RunOfAllRanks* group : incomplete[{run->region, rank_count_of(*run)}]) {
      if (near(group->started_s, start_of(*run)) && group->find(run->rank) == nullptr &&
          (nearest == nullptr || distance(group) < distance(nearest))) {
        nearest = group;
      }
    }
    if (nearest != nullptr) {
      add(*nearest, run);
    }
    return nearest != nullptr;
  });
}

bool disjoint(const RunOfAllRanks& a, const RunOfAllRanks& b) {
  return std::none_of(a.ranks.begin(), a.ranks.end(),
                      [&](const RankRun* run) { return b.find(run->rank) != nullptr; });
}

/// Ranks that were in different regions at the same time: they waited for each other.
Groups join_across_regions(Groups groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const RunOfAllRanks& a, const RunOfAllRanks& b) { return a.started_s < b.started_s; });
  Groups joined;
  for (RunOfAllRanks& group : groups) {
    const auto complete = [](const RunOfAllRanks& g) {
      return static_cast<std::int64_t>(g.ranks.size()) >= g.rank_count;
    };
    const auto last = joined.rbegin() + static_cast<std::ptrdiff_t>(std::min(joined.size(), join_candidates));
    const auto other = std::find_if(joined.rbegin(), last, [&](const RunOfAllRanks& g) {
      return !complete(g) && !complete(group) && g.rank_count == group.rank_count &&
             g.region != group.region && near(g.started_s, group.started_s) && disjoint(g, group);
    });
    if (other == last) {
      joined.push_back(std::move(group));
      continue;
    }
    other->several_regions = true;
    for (const RankRun* run : group.ranks) {
      add(*other, run);
    }
  }
  return joined;
}

void complete(RunOfAllRanks& group) {
  const RankRun& first = *group.ranks.front();
  group.started = first.start ? first.start->time_iso8601 : std::string_view();
  if (!group.several_regions) {
    group.region = first.region;
  }
  for (std::int64_t rank = 0; rank < group.rank_count && group.absent.size() < most_absent; ++rank) {
    if (group.find(rank) == nullptr) {
      group.absent.push_back(rank);
    }
  }
}

}  // namespace

std::vector<RunOfAllRanks> join_runs(const Logs& logs) {
  std::vector<const RankRun*> met;
  std::vector<const RankRun*> others;
  for (const RankRun& run : logs.runs) {
    (run.hello ? met : others).push_back(&run);
  }
  std::stable_sort(others.begin(), others.end(), [](const RankRun* a, const RankRun* b) {
    return start_of(*a).value_or(-1) < start_of(*b).value_or(-1);
  });
  Groups all = join_alike(met);
  move_to_met(others, all);
  Groups never_met = join_across_regions(join_alike(others));
  std::move(never_met.begin(), never_met.end(), std::back_inserter(all));
  for (RunOfAllRanks& group : all) {
    complete(group);
  }
  std::stable_sort(all.begin(), all.end(), [](const RunOfAllRanks& a, const RunOfAllRanks& b) {
    const auto order = [](const RunOfAllRanks& g) {
      const RankRun& first = *g.ranks.front();
      return std::tuple(g.started_s.value_or(-1), first.file, first.first_line);
    };
    return order(a) < order(b);
  });
  return all;
}

std::string why_absent(const RunOfAllRanks& run, const Logs& logs, std::int64_t rank) {
  const bool files_are_known =  // the tuning group and the program count their ranks alike
      std::all_of(run.ranks.begin(), run.ranks.end(),
                  [&](const RankRun* each) { return logs.files[each->file].process == each->rank; });
  if (!files_are_known) {
    return "no log has a run of this tuning";
  }
  const auto file = std::find_if(logs.files.begin(), logs.files.end(),
                                 [&](const LogFile& each) { return each.process == rank; });
  if (file == logs.files.end()) {
    return "no log file in this directory";
  }
  return file->name + " " +
         (!file->problem.empty()    ? "cannot be read: " + file->problem
          : file->damaged_count > 0 ? "has no run of this tuning, and damaged lines"
                                    : "has no run of this tuning: it never got there");
}

}  // namespace contextual::log_report
