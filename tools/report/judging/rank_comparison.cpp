#include "report/judging/rank_comparison.hpp"

#include "report/format/ranges.hpp"
#include "report/judging/rank_state.hpp"

#include <algorithm>
#include <map>

namespace contextual::log_report {
namespace {

/// Ranks by what they have.
using Values = std::map<std::string, std::vector<std::int64_t>>;

/// "ranks 0-2: config-1; rank 3: config-0" of what each rank has.
std::string by_value(const Values& ranks_of) {
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

std::string role_text(LaunchRole role) {
  switch (role) {
    case LaunchRole::warmup:
      return " warm-up";
    case LaunchRole::repeat:
      return " repeat";
    case LaunchRole::lead_in:
      return " lead-in";
    case LaunchRole::candidate:
      return " candidate";
    case LaunchRole::best:
      break;
  }
  return " best";
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

void compare_cells(const RunView& view, RankComparison& comparison) {
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
  assignments.report("launched configs", comparison.disagreements);
  times.report("agreed times", comparison.disagreements);
  makespans.report("agreed makespans", comparison.disagreements);
}

void compare_choices(const RunView& view, RankComparison& comparison) {
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
    if (values.size() > 1) {
      comparison.disagreements.push_back({"choice of " + name_of(*problem), by_value(values)});
    }
  }
}

void compare_options(const RunOfAllRanks& run, RankComparison& comparison) {
  Values options;
  for (const RankRun* rank : run.ranks) {
    if (rank->start) {
      options[std::string(rank->start->options)].push_back(rank->rank);
    }
  }
  if (options.size() > 1) {
    comparison.disagreements.push_back({"options", by_value(options)});
  }
}

/// Ranks that ended well did so together; of others one may have stopped earlier.
void compare_iteration_counts(const RunOfAllRanks& run, RankComparison& comparison) {
  Values iterations;
  for (const RankRun* rank : run.ranks) {
    if (state_of(*rank) != RankState::ok) {
      return;
    }
    iterations[std::to_string(rank->end->walk_iterations) + " walk, " +
               std::to_string(rank->end->search_iterations) + " search"]
        .push_back(rank->rank);
  }
  if (iterations.size() > 1) {
    comparison.disagreements.push_back({"number of iterations", by_value(iterations)});
  }
}

}  // namespace

RankComparison compare_ranks(const RunView& view) {
  RankComparison comparison;
  compare_choices(view, comparison);
  compare_cells(view, comparison);
  compare_options(*view.run, comparison);
  compare_iteration_counts(*view.run, comparison);
  return comparison;
}

}  // namespace contextual::log_report
