#include "contextual/record/make_events.hpp"

#include "contextual/launch/exception_text.hpp"
#include "contextual/record/quantities.hpp"
#include "contextual/record/reason_text.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <optional>

namespace contextual::record {

using policy::Cell;

namespace {

LaunchRole role_of(const Cell& cell) {
  return cell.role == Cell::Role::best      ? LaunchRole::best
         : cell.role == Cell::Role::lead_in ? LaunchRole::lead_in
         : cell.role == Cell::Role::step    ? (cell.warmup ? LaunchRole::warmup : LaunchRole::repeat)
                                            : LaunchRole::candidate;
}

std::vector<std::int64_t> config_ids(const Assignment& assignment) {
  return {assignment.begin(), assignment.end()};
}

std::optional<std::int64_t> config_id(const Assignment& assignment, std::size_t problem) {
  return problem < assignment.size() ? std::optional(static_cast<std::int64_t>(assignment[problem]))
                                     : std::nullopt;
}

Standing standing_of(const SearchReport& search, const Assignment& assignment) {
  const auto& ties = search.within_noise;
  return assignment == search.choice                                     ? Standing::choice
         : std::find(ties.begin(), ties.end(), assignment) != ties.end() ? Standing::within_noise
                                                                         : Standing::other;
}

/// Leaves both empty if nothing was measured.
void set_times(const TimeSummary& time, std::optional<double>& centre_ns, std::optional<double>& spread_ns) {
  if (time.count > 0) {
    centre_ns = time.centre_ns;
    spread_ns = time.spread_ns;
  }
}

ProblemOutcome outcome_of(policy::ProblemStatus status) {
  return status == policy::ProblemStatus::locked_in     ? ProblemOutcome::locked_in
         : status == policy::ProblemStatus::provisional ? ProblemOutcome::provisional
         : status == policy::ProblemStatus::failed      ? ProblemOutcome::failed
                                                        : ProblemOutcome::open;
}

/// What the problem did in an iteration of the batch. A problem first seen in this batch used its first
/// config.
Cell cell_of(const detail::BatchResult& result, const ProblemView& problem, std::size_t iteration,
             int n_warmup) {
  const detail::ProblemSlot& slot = *problem.slot;
  if (!slot.batch.cells.empty()) {
    return slot.batch.cells[iteration];
  }
  Cell cell;
  cell.config_id = slot.found.locked_config.value_or(
      slot.found.members.empty() ? 0 : slot.found.members.front()->first_config());
  const bool left_out = problem.record != nullptr && problem.record->configs[cell.config_id].left_out;
  if (!slot.found.locked_config && !left_out) {
    cell.role = Cell::Role::step;
    for (std::size_t i = 0; i < iteration; ++i) {
      cell.iteration += result.cells[slot.index][i].launched ? 1 : 0;
    }
    cell.warmup = cell.iteration < n_warmup;
  }
  return cell;
}

}  // namespace

const Config& config_of(const detail::ProblemSlot& slot, std::size_t config_id) {
  static const Config unknown;
  if (slot.found.members.empty()) {
    return slot.found.configs == nullptr ? unknown : slot.found.configs->at(config_id);
  }
  return slot.found.members.front()->space().configs[config_id];
}

ProblemName name_of(const detail::ProblemSlot& slot) {
  return {slot.problem.name, slot.problem.key_text};
}

ConfigUse config_use(const detail::ProblemSlot& slot, std::size_t config_id) {
  return {name_of(slot), static_cast<std::int64_t>(config_id), config_of(slot, config_id)};
}

LaunchRow launch_event(const detail::BatchPlan& plan, const detail::BatchResult& result,
                       const detail::AgreedTimes& agreed, const ProblemView& problem, std::size_t iteration,
                       int n_warmup) {
  const detail::ProblemSlot& slot = *problem.slot;
  const Cell cell = cell_of(result, problem, iteration, n_warmup);
  const detail::LocalCell& local = result.cells[slot.index][iteration];
  LaunchRow row;
  row.phase = plan.phases[iteration];
  row.tuning_iteration = plan.first_iteration + static_cast<std::int64_t>(iteration);
  row.config = config_use(slot, cell.config_id);
  row.role = role_of(cell);
  if (row.role != LaunchRole::best) {
    row.step_iteration = cell.iteration;
  }
  row.local_ns = local.time_ns;
  row.makespan_ns = row.local_makespan_ns = result.makespans_ns[iteration];
  if (iteration < agreed.time_ns.size() && slot.index < agreed.time_ns[iteration].size()) {
    row.agreed_ns = agreed.time_ns[iteration][slot.index];
    row.makespan_ns = agreed.makespan_ns[iteration];
  }
  // A choice between alternatives has none of its own.
  const bool needs_no_time = slot.problem.choice_point || local.untimed;
  row.status = !local.launched                  ? LaunchStatus::not_launched
               : local.fallback                 ? LaunchStatus::fallback
               : local.time_ns || needs_no_time ? LaunchStatus::ok
                                                : LaunchStatus::no_time;
  if (row.status == LaunchStatus::ok && local.untimed) {
    row.detail = "not timed in the search";
  }
  for (const detail::LocalRejection& rejection : slot.launched.rejections) {
    if (rejection.batch_iteration == iteration && rejection.config_id == cell.config_id) {
      row.status = LaunchStatus::rejected;
      row.detail = rejection.reason;
    }
  }
  return row;
}

ConfigReport config_report(const ProblemView& problem, std::size_t config_id) {
  const detail::ProblemSlot& slot = *problem.slot;
  ConfigReport report;
  report.config_id = config_id;
  report.config = config_of(slot, config_id);
  report.refinement = config_id + slot.problem.refinement_count >= slot.problem.config_count;
  if (problem.record == nullptr) {
    report.left_out = slot.found.left_out[config_id];
    return report;
  }
  const policy::ConfigRecord& config = problem.record->configs[config_id];
  report.left_out = config.left_out;
  report.time = policy::summarize(config.samples_ns);
  report.makespan = policy::summarize(config.makespans_ns);
  report.metrics = metrics_of(slot.launched.work, report.time.centre_ns);
  if (config.rejection) {
    report.rejection = reason_text(*config.rejection);
    report.rejected_by = ranks_of(*config.rejection);
  }
  return report;
}

ProblemReport problem_report(const ProblemView& problem) {
  const detail::ProblemSlot& slot = *problem.slot;
  ProblemReport report;
  report.kernel = slot.problem.name;
  report.key = slot.problem.key_text;
  if (problem.record == nullptr) {
    return report;
  }
  const policy::ProblemRecord& record = *problem.record;
  report.outcome = outcome_of(record.status);
  report.choice = record.choice;
  report.choice_config = config_of(slot, record.choice);
  report.reason = reason_text(record.reason);
  report.reused = slot.found.locked_config == record.choice;
  if (report.reused && !slot.found.pinned_by.empty()) {
    report.pinned_by = slot.found.pinned_by;
    report.reason = "pinned by " + slot.found.pinned_by;
  }
  report.work = slot.launched.work;
  for (std::size_t id = 0; id < record.configs.size(); ++id) {
    report.configs.push_back(config_report(problem, id));
  }
  return report;
}

Choice choice_event(const ProblemReport& problem) {
  Choice event;
  event.config = {
      {problem.kernel, problem.key}, static_cast<std::int64_t>(problem.choice), problem.choice_config};
  event.status =
      problem.outcome == ProblemOutcome::provisional ? ChoiceStatus::provisional : ChoiceStatus::locked_in;
  if (problem.choice < problem.configs.size() && problem.configs[problem.choice].time.count > 0) {
    const ConfigReport& config = problem.configs[problem.choice];
    event.latency_ns = config.time.centre_ns;
    event.teraflops_per_second = config.metrics.teraflops_per_second;
    event.gigabytes_per_second = config.metrics.gigabytes_per_second;
  }
  event.reason = problem.reason;
  event.walk_ns = problem.walk_ns;
  return event;
}

SearchReport search_report(const policy::SearchRecord& search) {
  SearchReport report;
  report.chosen_by.resize(search.by_own_time.size(), ChosenBy::not_tuned);
  const auto note = [&report](const std::vector<std::size_t>& problems, ChosenBy how) {
    for (const std::size_t problem : problems) {
      if (problem < report.chosen_by.size()) {
        report.chosen_by[problem] = how;
      }
    }
  };
  note(search.by_time, ChosenBy::own_time);
  note(search.members, ChosenBy::makespan);
  report.existing = search.existing;
  report.failed = search.failed;
  report.runs = search.runs;
  report.lead_ins = search.lead_ins;
  for (const policy::MeasuredAssignment& measured : search.measured) {
    report.measured.push_back({measured.assignment, measured.makespan});
  }
  report.choice = search.choice;
  report.reason = reason_text(search.reason);
  report.cut = reason_text(search.cut);
  report.within_noise = search.within_noise;
  report.by_own_time = search.by_own_time;
  report.cost_of_own_time = search.cost_of_own_time;
  report.reference = search.reference;
  if (report.reference != SearchReference::none) {
    report.compared_with = search.compared_with;
    report.reference_makespan = search.reference_makespan;
    report.choice_makespan = search.choice_makespan;
  }
  report.gain = search.gain;
  report.unsure = search.is_unsure();
  for (const policy::LostComparison& lost : search.lost) {
    report.lost.push_back({lost.assignment, lost.gain});
  }
  return report;
}

SearchResult search_event(const SearchReport& search, const std::map<Assignment, policy::Reason>& infeasible,
                          const std::vector<ProblemView>& problems) {
  SearchResult event;
  event.problems.resize(search.chosen_by.size());
  for (const ProblemView& problem : problems) {
    if (problem.index && *problem.index < event.problems.size()) {
      event.problems[*problem.index] = {name_of(*problem.slot), search.chosen_by[*problem.index],
                                        config_id(search.choice, *problem.index),
                                        config_id(search.by_own_time, *problem.index)};
    }
  }
  event.existing_count = static_cast<std::int64_t>(search.existing);
  event.measured_count = static_cast<std::int64_t>(search.measured.size());
  event.failed_count = static_cast<std::int64_t>(search.failed);
  event.run_count = search.runs;
  event.lead_in_count = search.lead_ins;
  for (const auto& [assignment, makespan] : search.measured) {
    event.measured.push_back({config_ids(assignment), static_cast<std::int64_t>(makespan.count),
                              makespan.centre_ns, makespan.spread_ns, standing_of(search, assignment)});
  }
  for (const auto& [assignment, reason] : infeasible) {
    if (assignment.size() == search.by_own_time.size()) {
      event.infeasible.push_back({config_ids(assignment), reason_text(reason)});
    }
  }
  event.within_noise_count = static_cast<std::int64_t>(search.within_noise.size());
  event.reason = search.reason;
  event.cut = search.cut;
  event.reference = search.reference;
  event.reference_config_ids = config_ids(search.compared_with);
  event.round_count = static_cast<std::int64_t>(search.reference_makespan.count);
  set_times(search.reference_makespan, event.reference_makespan_ns, event.reference_spread_ns);
  set_times(search.choice_makespan, event.choice_makespan_ns, event.choice_spread_ns);
  if (search.gain) {
    event.gain = search.gain->centre;
    event.gain_low = search.gain->low;
    event.gain_high = search.gain->high;
  }
  for (const auto& [assignment, gain] : search.lost) {
    event.lost.push_back({config_ids(assignment), gain.centre, gain.low, gain.high});
  }
  event.own_time_cost = search.cost_of_own_time;
  event.unsure = search.unsure;
  return event;
}

RunEnd end_event(const std::exception_ptr& thrown, int own_rank) {
  RunEnd event;
  if (!thrown) {
    return event;
  }
  event.status = EndStatus::failed;
  event.error = detail::exception_text(thrown);
  const auto blame = [&event](const char* type, const std::vector<int>& ranks) {
    event.error_type = type;
    event.blamed_ranks.assign(ranks.begin(), ranks.end());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const CommunicationError& error) {
    blame("CommunicationError", error.missing_ranks());
  } catch (const RegionFailedError& error) {
    blame("RegionFailedError", {error.failed_rank()});
  } catch (const RankMismatchError& error) {
    blame("RankMismatchError", error.differing_ranks());
  } catch (const TuningFailedError& error) {
    blame("TuningFailedError", error.failed_ranks());
  } catch (const InvalidArgument&) {
    blame("InvalidArgument", {own_rank});
  } catch (const ConfigSpaceError&) {
    blame("ConfigSpaceError", {own_rank});
  } catch (const Error&) {
    blame("Error", {own_rank});
  } catch (...) {
    blame("region", {own_rank});
  }
  return event;
}

LimitReport limit_of(const PartSamples& result, const std::vector<PartSamples>& parts) {
  LimitReport report;
  report.result = policy::summarize(result.makespans_ns);
  double sum_ns = 0;
  double longest_ns = 0;
  bool complete = !parts.empty();
  for (const PartSamples& part : parts) {
    const TimeSummary makespan = policy::summarize(part.makespans_ns);
    report.parts.push_back({part.name, makespan});
    complete = complete && makespan.count > 0;
    sum_ns += makespan.centre_ns;
    longest_ns = std::max(longest_ns, makespan.centre_ns);
  }
  if (complete) {
    report.limit_ns = longest_ns;
  }
  if (complete && report.result.count > 0 && sum_ns > longest_ns) {
    report.hidden = (sum_ns - report.result.centre_ns) / (sum_ns - longest_ns);
  }
  return report;
}

Limit limit_event(const LimitReport& report, std::int64_t round_count) {
  Limit event;
  event.round_count = round_count;
  for (const PartReport& part : report.parts) {
    PartTime& time = event.parts.emplace_back();
    time.name = part.name;
    set_times(part.makespan, time.makespan_ns, time.spread_ns);
  }
  set_times(report.result, event.result_ns, event.result_spread_ns);
  event.limit_ns = report.limit_ns;
  event.hidden = report.hidden;
  return event;
}

}  // namespace contextual::record
