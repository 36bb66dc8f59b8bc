#include "report/judging/runs.hpp"

#include "report/format/texts.hpp"

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

/// Joins those of one tuning_id and region. Ids are made of host-local numbers, so equal ones need not mean
/// one run: a run goes to the oldest group that lacks its rank, as the n-th try of one rank belongs to the
/// n-th try of another.
Groups join_by_id(const std::vector<const RankRun*>& runs) {
  std::map<std::pair<std::string_view, std::string_view>, Groups> by_id;
  for (const RankRun* run : runs) {
    Groups& groups = by_id[{run->hello->tuning_id, run->region}];
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const RunOfAllRanks& group) {
      return group.find(run->rank) == nullptr;
    });
    found == groups.end() ? groups.push_back(group_of(run)) : add(*found, run);
  }
  Groups all;
  for (auto& [id, groups] : by_id) {
    std::move(groups.begin(), groups.end(), std::back_inserter(all));
  }
  return all;
}

/// Joins a run without a tuning_id with a group that began near it and lacks just its rank: first with the
/// nearest of its region that has met, as a process may have died between the hello and the line that says
/// so; then with the oldest of its region that has not; then with the nearest of another region, as ranks in
/// different regions wait for each other.
void join_by_time(const RankRun* run, Groups& groups) {
  const RunOfAllRanks alone = group_of(run);
  struct Kind {
    bool met;
    bool in_region;
  };
  for (const Kind& kind : {Kind{true, true}, Kind{false, true}, Kind{false, false}}) {
    const bool oldest = !kind.met && kind.in_region;  // the n-th try belongs to the n-th try
    RunOfAllRanks* found = nullptr;
    const auto distance = [&](const RunOfAllRanks& group) {
      return std::abs(*group.started_s - *alone.started_s);
    };
    for (RunOfAllRanks& group : groups) {
      if (near(group.started_s, alone.started_s) && group.met == kind.met &&
          (group.region == run->region) == kind.in_region && group.rank_count == alone.rank_count &&
          group.find(run->rank) == nullptr &&
          (found == nullptr || (!oldest && distance(group) < distance(*found)))) {
        found = &group;
      }
    }
    if (found != nullptr) {
      found->several_regions = found->several_regions || !kind.in_region;
      add(*found, run);
      return;
    }
  }
  groups.push_back(alone);
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
  Groups all = join_by_id(met);
  for (const RankRun* run : others) {
    join_by_time(run, all);
  }
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
