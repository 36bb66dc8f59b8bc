#include "contextual/record/timeline_keeper.hpp"

#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace contextual::record {

using policy::Cell;

namespace {

void add_intervals(Timeline& event, const detail::IterationTimeline& timeline,
                   const std::vector<ProblemView>& problems) {
  event.begin_ns = timeline.begin_ns;
  event.end_ns = timeline.end_ns;
  for (const detail::LaunchSpan& launch : timeline.launches) {
    event.launches.push_back({name_of(*problems[launch.slot].slot),
                              static_cast<std::int64_t>(launch.config_id), launch.span.device,
                              launch.span.begin_ns, launch.span.end_ns});
  }
  event.others_known = timeline.others.has_value();
  for (const Span& span : timeline.others.value_or(std::vector<Span>())) {
    event.others.push_back({span.device, span.begin_ns, span.end_ns});
  }
  event.left_out_count = static_cast<std::int64_t>(timeline.left_out_count);
}

void add_own_times(std::vector<std::vector<std::int64_t>>& times_ns,
                   const policy::IterationOutcome& outcome) {
  times_ns.resize(std::max(times_ns.size(), outcome.cells.size()));
  for (std::size_t p = 0; p < outcome.cells.size(); ++p) {
    if (outcome.cells[p].time_ns) {
      times_ns[p].push_back(*outcome.cells[p].time_ns);
    }
  }
}

}  // namespace

/// Empty for an iteration that only prepares others.
std::optional<TimelineKeeper::Origin> TimelineKeeper::origin_of(const detail::BatchPlan& plan,
                                                                std::size_t iteration) {
  if (plan.kind == detail::BatchKind::final_run) {
    return Origin::final_run;
  }
  std::optional<Origin> origin;
  for (const Cell& cell : plan.iterations[iteration].cells) {
    if (cell.role == Cell::Role::lead_in || (cell.role == Cell::Role::step && cell.warmup)) {
      return std::nullopt;
    }
    if (cell.role == Cell::Role::candidate) {
      origin = Origin::search;
    } else if (cell.role == Cell::Role::step && !origin) {
      origin = Origin::walk;
    }
  }
  return origin;
}

/// What one rank alone has launched counts where the ranks have not agreed on it, in the final run.
TimelineKeeper::Launched TimelineKeeper::launched(const detail::BatchPlan& plan,
                                                  const detail::BatchResult& result,
                                                  const std::vector<ProblemView>& problems,
                                                  const policy::BatchOutcome& outcome,
                                                  std::size_t iteration) {
  const std::vector<Cell>& planned = plan.iterations[iteration].cells;
  Launched configs;
  for (const ProblemView& problem : problems) {
    if (!problem.index) {
      continue;
    }
    const std::size_t index = *problem.index;
    const std::size_t slot = problem.slot->index;
    configs.resize(std::max(configs.size(), index + 1));
    const bool here = slot < result.cells.size() && result.cells[slot][iteration].launched;
    const bool anywhere = iteration < outcome.iterations.size() &&
                          index < outcome.iterations[iteration].cells.size() &&
                          outcome.iterations[iteration].cells[index].launched;
    if (index < planned.size() && (here || anywhere)) {
      configs[index] = planned[index].config_id;
    } else if (here) {
      configs[index] = result.cells[slot][iteration].config_id;
    }
  }
  return configs;
}

void TimelineKeeper::note(const detail::BatchPlan& plan, const detail::BatchResult& result,
                          const std::vector<ProblemView>& problems, const policy::BatchOutcome& outcome) {
  for (std::size_t i = 0; i < plan.length() && i < result.timelines.size(); ++i) {
    const std::optional<Origin> origin = origin_of(plan, i);
    const std::optional<std::int64_t> makespan_ns =
        i < outcome.iterations.size() ? outcome.iterations[i].makespan_ns : result.makespans_ns[i];
    if (!origin || !makespan_ns) {
      continue;
    }
    Kept& kept = kept_[launched(plan, result, problems, outcome, i)];
    const bool shows_more = kept.timeline.launches.empty() || !result.timelines[i].launches.empty();
    if (shows_more && (*origin >= kept.origin || kept.timeline.launches.empty())) {
      kept.origin = *origin;
      kept.event.phase = plan.phases[i];
      kept.event.tuning_iteration = plan.first_iteration + static_cast<std::int64_t>(i);
      kept.event.makespan_ns = makespan_ns;
      kept.timeline = result.timelines[i];
    }
    if (*origin == Origin::search) {
      add_own_times(kept.own_times_ns, outcome.iterations[i]);
    }
  }
}

/// Of several, which differ in problems that were not launched, the one with the best origin, and of these
/// the last.
const TimelineKeeper::Kept* TimelineKeeper::find(const std::vector<std::size_t>& assignment) const {
  const Kept* best = nullptr;
  for (const auto& [configs, kept] : kept_) {
    bool equal = configs.size() <= assignment.size();
    for (std::size_t i = 0; equal && i < configs.size(); ++i) {
      equal = !configs[i] || *configs[i] == assignment[i];
    }
    if (equal && (best == nullptr || std::tie(best->origin, best->event.tuning_iteration) <
                                         std::tie(kept.origin, kept.event.tuning_iteration))) {
      best = &kept;
    }
  }
  return best;
}

TimelineKeeper::Sides TimelineKeeper::sides_of(const std::vector<ProblemView>& problems) const {
  std::vector<std::size_t> chosen(problems.size());
  std::vector<std::size_t> defaults(problems.size());
  Sides sides;
  for (const ProblemView& problem : problems) {
    if (problem.index) {
      chosen[*problem.index] = problem.record == nullptr ? 0 : problem.record->choice;
      defaults[*problem.index] = problem.slot->found.locked_config.value_or(0);
      sides.tuned = sides.tuned || !problem.slot->found.locked_config;
    }
  }
  sides.chosen = find(chosen);
  sides.defaults = find(defaults);
  return sides;
}

std::vector<TimelineKeeper::OwnTimes> TimelineKeeper::own_times(
    const std::vector<ProblemView>& problems) const {
  const auto summary = [](const Kept* kept, std::size_t problem) {
    return kept != nullptr && problem < kept->own_times_ns.size()
               ? policy::summarize(kept->own_times_ns[problem])
               : policy::Summary();
  };
  const Sides sides = sides_of(problems);
  std::vector<OwnTimes> own_times(problems.size());
  for (std::size_t problem = 0; problem < problems.size(); ++problem) {
    own_times[problem] = {summary(sides.chosen, problem), summary(sides.defaults, problem)};
  }
  return own_times;
}

std::vector<Timeline> TimelineKeeper::events(const std::vector<ProblemView>& problems) const {
  std::vector<Timeline> events;
  const auto add = [&](TimelineSide side, const Kept* kept) {
    if (kept != nullptr && !kept->timeline.launches.empty()) {
      events.push_back(kept->event);
      events.back().side = side;
      add_intervals(events.back(), kept->timeline, problems);
    }
  };
  const Sides sides = sides_of(problems);
  add(TimelineSide::chosen, sides.chosen);
  if (sides.tuned) {
    add(TimelineSide::defaults, sides.defaults);
  }
  return events;
}

}  // namespace contextual::record
