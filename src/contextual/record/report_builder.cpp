#include "contextual/record/report_builder.hpp"

#include "contextual/launch/failed_slot.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/record/rates.hpp"
#include "contextual/record/reason_text.hpp"
#include "contextual/record/search_event.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace contextual::record {

using detail::ProblemSlot;
using policy::Cell;

namespace {

std::string table_text(const Cell& cell) {
  switch (cell.role) {
    case Cell::Role::step:
      return "config-" + std::to_string(cell.config_id) + " (iter-" + std::to_string(cell.iteration) + ")";
    case Cell::Role::lead_in:
      return "config-" + std::to_string(cell.config_id) + " (lead-in)";
    case Cell::Role::candidate:
      return "config-" + std::to_string(cell.config_id) + " (candidate)";
    case Cell::Role::best:
      break;
  }
  return "best-config";
}

ProblemOutcome outcome_of(policy::ProblemStatus status) {
  switch (status) {
    case policy::ProblemStatus::locked_in:
      return ProblemOutcome::locked_in;
    case policy::ProblemStatus::provisional:
      return ProblemOutcome::provisional;
    case policy::ProblemStatus::failed:
      return ProblemOutcome::failed;
    case policy::ProblemStatus::exploring:
    case policy::ProblemStatus::walking:
    case policy::ProblemStatus::walked:
      break;
  }
  return ProblemOutcome::open;
}

TimeSummary time_summary(const policy::Summary& summary) {
  return {summary.count, summary.centre_ns, summary.spread_ns};
}

TimeSummary time_summary(const std::vector<std::int64_t>& samples) {
  return time_summary(policy::summarize(samples));
}

SearchGain gain_of(const policy::Gain& gain) {
  return {gain.centre, gain.low, gain.high};
}

/// Without the problems.
SearchReport report_of(const policy::SearchRecord& search) {
  SearchReport report;
  report.existing = search.existing;
  report.failed = search.failed;
  report.runs = search.runs;
  report.lead_ins = search.lead_ins;
  for (const policy::MeasuredAssignment& measured : search.measured) {
    report.measured.push_back({measured.assignment, time_summary(measured.makespan)});
  }
  report.choice = search.choice;
  report.reason = reason_text(search.reason);
  report.cut = reason_text(search.cut);
  report.within_noise = search.within_noise;
  report.by_own_time = search.by_own_time;
  report.cost_of_own_time = search.cost_of_own_time;
  report.reference = reference_of(search);
  if (report.reference != SearchReference::none) {
    report.compared_with = search.compared_with;
    report.reference_makespan = time_summary(search.reference_makespan);
    report.choice_makespan = time_summary(search.choice_makespan);
  }
  if (search.gain) {
    report.gain = gain_of(*search.gain);
  }
  report.unsure = search.is_unsure();
  for (const policy::LostComparison& lost : search.lost) {
    report.lost.push_back({lost.assignment, gain_of(lost.gain)});
  }
  return report;
}

ProblemReport report_of(const ProblemView& problem) {
  const ProblemSlot& slot = *problem.slot;
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
    const policy::ConfigRecord& config = record.configs[id];
    const TimeSummary time = time_summary(config.samples_ns);
    report.configs.push_back({id, config_of(slot, id), time, time_summary(config.makespans_ns),
                              config.rejection ? std::optional(reason_text(*config.rejection)) : std::nullopt,
                              config.left_out,
                              id + slot.problem.refinement_count >= slot.problem.config_count,
                              metrics_of(report.work, time.centre_ns),
                              config.rejection ? ranks_of(*config.rejection) : std::vector<int>()});
  }
  return report;
}

/// The problem that the error names; null if there is none.
const ProblemSlot* failed_slot(const std::vector<ProblemView>& problems,
                               const std::optional<TuningFailedError>& failure) {
  std::vector<const ProblemSlot*> slots(problems.size());
  std::transform(problems.begin(), problems.end(), slots.begin(),
                 [](const ProblemView& problem) { return problem.slot; });
  return failure ? detail::failed_slot(slots, *failure) : nullptr;
}

/// The error has the rejections of all ranks, also those of a problem that fails before it has joined.
void note_failure(ProblemReport& report, const ProblemSlot& slot, const TuningFailedError& failure) {
  report.outcome = ProblemOutcome::failed;
  report.choice = 0;
  report.choice_config = config_of(slot, 0);
  report.reason = reason_text(policy::Why::every_config_rejected);
  for (std::size_t id = report.configs.size(); id < slot.problem.config_count; ++id) {
    ConfigReport& config = report.configs.emplace_back();
    config.config_id = id;
    config.config = config_of(slot, id);
    config.left_out = slot.found.left_out[id];
    config.refinement = id + slot.problem.refinement_count >= slot.problem.config_count;
  }
  for (const Rejection& rejection : failure.rejections()) {
    if (rejection.config_id < report.configs.size()) {
      ConfigReport& config = report.configs[rejection.config_id];
      std::optional<std::string>& reason = config.rejection;
      if (reason != rejection.reason) {
        reason = (reason ? *reason + "; " : "") + rejection.reason;
        config.rejected_by.insert(config.rejected_by.end(), rejection.ranks.begin(), rejection.ranks.end());
      }
    }
  }
}

/// The order in which the ranks agreed on the problems: where threads discover them, each rank has its own
/// order of slots.
void sort_as_agreed(std::vector<ProblemView>& problems) {
  const auto place = [](const ProblemView& problem) {
    return std::make_pair(!problem.index, problem.index.value_or(problem.slot->index));
  };
  std::sort(problems.begin(), problems.end(),
            [&](const ProblemView& a, const ProblemView& b) { return place(a) < place(b); });
}

}  // namespace

void ReportBuilder::begin_row(Phase phase, std::int64_t tuning_iteration) {
  report_.table.push_back(
      {phase == Phase::final_run ? "final" : std::to_string(tuning_iteration), phase, {}});
}

void ReportBuilder::add_cell(const ProblemSlot& slot, const Cell& cell, bool launched) {
  first_rows_.resize(std::max(first_rows_.size(), slot.index + 1));
  if (!first_rows_[slot.index]) {
    first_rows_[slot.index] = report_.table.size() - 1;
  }
  std::vector<TableCell>& cells = report_.table.back().cells;
  if (!launched) {
    cells.push_back({slot.index, "-"});
  } else if (cell.role != Cell::Role::best) {
    cells.push_back({slot.index, table_text(cell)});
  }
}

void ReportBuilder::add_search(const policy::SearchRecord& search, const std::vector<ProblemView>& problems) {
  SearchReport report = report_of(search);
  for (const ProblemSlot* slot : joined_slots(problems, search.by_own_time.size())) {
    const ChosenBy how = chosen_by(search, report.problems.size());
    report.problems.push_back({slot == nullptr ? 0 : slot->index, how});
  }
  const bool compared = report.reference != SearchReference::none && report.choice_makespan.count > 0;
  const bool with_defaults = compared && report.reference == SearchReference::defaults;
  report_.tuned_makespan = compared ? std::optional(report.choice_makespan) : std::nullopt;
  report_.default_makespan = with_defaults ? std::optional(report.reference_makespan) : std::nullopt;
  report_.searches.push_back(std::move(report));
}

void ReportBuilder::end(const policy::TuningState* state, std::vector<ProblemView> problems,
                        const TuningTime& time, const TimelineKeeper& kept,
                        const std::optional<TuningFailedError>& failure) {
  report_.tuning_ns = time.total_ns();
  if (state != nullptr) {
    report_.walk_iterations = state->walk_iterations();
    report_.search_iterations = state->search_iterations();
    report_.retakes = state->retakes();
    report_.hit_iteration_cap = state->hit_iteration_cap();
  }
  const bool replaced = state != nullptr && !report_.searches.empty() && state->searches().back().replaced;
  if (replaced) {
    report_.searches.back().replaced = true;
    report_.tuned_makespan.reset();
    report_.default_makespan.reset();
  }
  sort_as_agreed(problems);
  const ProblemSlot* const failed = failed_slot(problems, failure);
  std::size_t slots = first_rows_.size();
  for (const ProblemView& problem : problems) {
    slots = std::max(slots, problem.slot->index + 1);
  }
  first_rows_.resize(slots);
  const std::vector<TimelineKeeper::OwnTimes> own_times = kept.own_times(problems);
  std::vector<std::size_t> places(slots);  // in the report, by slot
  for (const ProblemView& problem : problems) {
    places[problem.slot->index] = report_.problems.size();
    report_.problems.push_back(report_of(problem));
    if (!replaced && problem.index) {
      const TimelineKeeper::OwnTimes& own = own_times[*problem.index];
      report_.problems.back().time_in_choice = time_summary(own.in_choice_ns);
      report_.problems.back().time_in_defaults = time_summary(own.in_defaults_ns);
    }
    if (problem.slot == failed) {
      note_failure(report_.problems.back(), *problem.slot, *failure);
    }
    report_.problems.back().walk_ns = time.walk_ns(problem.slot->index);
    report_.problems.back().first_row = first_rows_[problem.slot->index].value_or(report_.table.size());
  }
  for (const ProblemView& problem : problems) {
    if (problem.under != nullptr) {
      report_.problems[places[problem.slot->index]].under = {places.at(problem.under->choice_point->index),
                                                             problem.under->config_id};
    }
  }
  for (SearchReport& search : report_.searches) {
    for (ProblemOfSearch& problem : search.problems) {
      problem.index = places.at(problem.index);
    }
  }
  for (TableRow& row : report_.table) {
    for (TableCell& cell : row.cells) {
      cell.problem = places.at(cell.problem);
    }
    std::sort(row.cells.begin(), row.cells.end(),
              [](const TableCell& a, const TableCell& b) { return a.problem < b.problem; });
  }
}

}  // namespace contextual::record
