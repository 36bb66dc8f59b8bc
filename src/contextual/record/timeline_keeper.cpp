#include "contextual/record/timeline_keeper.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace contextual::record {

using policy::Cell;

namespace {

/// Calls `use` with every problem that has joined, and its index.
template <typename Use>
void each_joined(const std::vector<ProblemView>& problems, Use&& use) {
  for (const ProblemView& problem : problems) {
    if (problem.index) {
      use(problem, *problem.index);
    }
  }
}

Timeline event_of(const detail::IterationTimeline& timeline, const std::vector<ProblemView>& problems) {
  Timeline event;
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
  return event;
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
                                                                const std::vector<ProblemView>& problems,
                                                                std::size_t iteration) {
  if (plan.kind == detail::BatchKind::final_run) {
    return Origin::final_run;
  }
  bool warms_up = false;
  std::optional<Origin> origin;
  each_joined(problems, [&](const ProblemView& problem, std::size_t /*index*/) {
    if (!problem.slot->joined()) {
      return;
    }
    const Cell& cell = problem.slot->batch.cells[iteration];
    warms_up = warms_up || cell.role == Cell::Role::lead_in || (cell.role == Cell::Role::step && cell.warmup);
    if (cell.role == Cell::Role::candidate) {
      origin = Origin::search;
    } else if (cell.role == Cell::Role::step && !origin) {
      origin = Origin::walk;
    }
  });
  return warms_up ? std::nullopt : origin;
}

TimelineKeeper::Launched TimelineKeeper::launched(const detail::BatchResult& result,
                                                  const std::vector<ProblemView>& problems,
                                                  const policy::BatchOutcome& outcome,
                                                  std::size_t iteration) {
  Launched configs;
  each_joined(problems, [&](const ProblemView& problem, std::size_t index) {
    configs.resize(std::max(configs.size(), index + 1));
    const std::size_t slot = problem.slot->index;
    const bool here = slot < result.cells.size() && result.cells[slot][iteration].launched;
    const bool anywhere = iteration < outcome.iterations.size() &&
                          index < outcome.iterations[iteration].cells.size() &&
                          outcome.iterations[iteration].cells[index].launched;
    if (problem.slot->joined() && (here || anywhere)) {
      configs[index] = problem.slot->batch.cells[iteration].config_id;
    } else if (here) {
      configs[index] = result.cells[slot][iteration].config_id;
    }
  });
  return configs;
}

void TimelineKeeper::note(const detail::BatchPlan& plan, const detail::BatchResult& result,
                          const std::vector<ProblemView>& problems, const policy::BatchOutcome& outcome) {
  for (std::size_t i = 0; i < plan.length() && i < result.timelines.size(); ++i) {
    const std::optional<Origin> origin = origin_of(plan, problems, i);
    const std::optional<std::int64_t> makespan_ns =
        i < outcome.iterations.size() ? outcome.iterations[i].makespan_ns : result.makespans_ns[i];
    if (!origin || !makespan_ns) {
      continue;
    }
    Kept& kept = kept_[launched(result, problems, outcome, i)];
    const bool shows_more = kept.timeline.launches.empty() || !result.timelines[i].launches.empty();
    if (shows_more && (*origin >= kept.origin || kept.timeline.launches.empty())) {
      kept = {*origin,     plan.phases[i],      plan.first_iteration + static_cast<std::int64_t>(i),
              makespan_ns, result.timelines[i], std::move(kept.own_times_ns)};
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
    if (equal && (best == nullptr || std::tie(best->origin, best->tuning_iteration) <
                                         std::tie(kept.origin, kept.tuning_iteration))) {
      best = &kept;
    }
  }
  return best;
}

TimelineKeeper::Sides TimelineKeeper::sides_of(const std::vector<ProblemView>& problems) {
  Sides sides;
  each_joined(problems, [&](const ProblemView& problem, std::size_t index) {
    sides.chosen.resize(std::max(sides.chosen.size(), index + 1));
    sides.defaults.resize(sides.chosen.size());
    sides.chosen[index] = problem.record == nullptr ? 0 : problem.record->choice;
    sides.defaults[index] = problem.slot->found.locked_config.value_or(0);
    sides.tuned = sides.tuned || !problem.slot->found.locked_config;
  });
  return sides;
}

std::vector<TimelineKeeper::OwnTimes> TimelineKeeper::own_times(
    const std::vector<ProblemView>& problems) const {
  const Sides sides = sides_of(problems);
  std::vector<OwnTimes> own_times(sides.chosen.size());
  const auto add = [&](const std::vector<std::size_t>& assignment,
                       std::vector<std::int64_t> OwnTimes::*member) {
    const Kept* kept = find(assignment);
    for (std::size_t p = 0; kept != nullptr && p < std::min(own_times.size(), kept->own_times_ns.size());
         ++p) {
      own_times[p].*member = kept->own_times_ns[p];
    }
  };
  add(sides.chosen, &OwnTimes::in_choice_ns);
  add(sides.defaults, &OwnTimes::in_defaults_ns);
  return own_times;
}

std::vector<Timeline> TimelineKeeper::events(const std::vector<ProblemView>& problems) const {
  const Sides sides = sides_of(problems);
  std::vector<Timeline> events;
  const auto add = [&](TimelineSide side, const std::vector<std::size_t>& assignment) {
    const Kept* kept = find(assignment);
    if (kept == nullptr || kept->timeline.launches.empty()) {
      return;
    }
    Timeline& event = events.emplace_back(event_of(kept->timeline, problems));
    event.side = side;
    event.phase = kept->phase;
    event.tuning_iteration = kept->tuning_iteration;
    event.makespan_ns = kept->makespan_ns;
  };
  add(TimelineSide::chosen, sides.chosen);
  if (sides.tuned) {
    add(TimelineSide::defaults, sides.defaults);
  }
  return events;
}

}  // namespace contextual::record
