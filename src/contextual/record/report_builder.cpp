#include "contextual/record/report_builder.hpp"

#include "contextual/launch/failed_slot.hpp"
#include "contextual/policy/statistics.hpp"
#include "contextual/record/make_events.hpp"
#include "contextual/record/quantities.hpp"
#include "contextual/record/reason_text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace contextual::record {

using detail::ProblemSlot;
using policy::Cell;

namespace {

/// Of a cell in which something was tried.
std::string table_text(const Cell& cell) {
  return "config-" + std::to_string(cell.config_id) +
         (cell.role == Cell::Role::step      ? " (iter-" + std::to_string(cell.iteration) + ")"
          : cell.role == Cell::Role::lead_in ? " (lead-in)"
                                             : " (candidate)");
}

ProblemOutcome outcome_of(policy::ProblemStatus status) {
  return status == policy::ProblemStatus::locked_in     ? ProblemOutcome::locked_in
         : status == policy::ProblemStatus::provisional ? ProblemOutcome::provisional
         : status == policy::ProblemStatus::failed      ? ProblemOutcome::failed
                                                        : ProblemOutcome::open;
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
    const TimeSummary time = time_summary(policy::summarize(config.samples_ns));
    report.configs.push_back(
        {id, config_of(slot, id), time, time_summary(policy::summarize(config.makespans_ns)),
         config.rejection ? std::optional(reason_text(*config.rejection)) : std::nullopt, config.left_out,
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

void ReportBuilder::add_search(const SearchReport& search) {
  const bool compared = search.reference != SearchReference::none && search.choice_makespan.count > 0;
  const bool with_defaults = compared && search.reference == SearchReference::defaults;
  report_.tuned_makespan = compared ? std::optional(search.choice_makespan) : std::nullopt;
  report_.default_makespan = with_defaults ? std::optional(search.reference_makespan) : std::nullopt;
  report_.searches.push_back(search);
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
      report_.problems.back().time_in_choice = time_summary(policy::summarize(own.in_choice_ns));
      report_.problems.back().time_in_defaults = time_summary(policy::summarize(own.in_defaults_ns));
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
