#include "contextual/record/report_builder.hpp"

#include "contextual/launch/failed_slot.hpp"
#include "contextual/record/reason_text.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace contextual::record {

using detail::ProblemSlot;

namespace {

/// Of a cell in which something was tried.
std::string table_text(const LaunchRow& row) {
  return "config-" + std::to_string(row.config.id) +
         (row.role == LaunchRole::lead_in     ? " (lead-in)"
          : row.role == LaunchRole::candidate ? " (candidate)"
                                              : " (iter-" + std::to_string(*row.step_iteration) + ")");
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
void note_failure(ProblemReport& report, const ProblemView& problem, const TuningFailedError& failure) {
  report.outcome = ProblemOutcome::failed;
  report.choice = 0;
  report.choice_config = config_of(*problem.slot, 0);
  report.reason = reason_text(policy::Why::every_config_rejected);
  for (std::size_t id = report.configs.size(); id < problem.slot->problem.config_count; ++id) {
    report.configs.push_back(config_report(problem, id));
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

void ReportBuilder::add_cell(const ProblemSlot& slot, const LaunchRow& row, bool launched) {
  first_rows_.resize(std::max(first_rows_.size(), slot.index + 1));
  if (!first_rows_[slot.index]) {
    first_rows_[slot.index] = report_.table.size() - 1;
  }
  std::vector<TableCell>& cells = report_.table.back().cells;
  if (!launched) {
    cells.push_back({slot.index, "-"});
  } else if (row.role != LaunchRole::best) {
    cells.push_back({slot.index, table_text(row)});
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
  first_rows_.resize(problems.size());
  const std::vector<TimelineKeeper::OwnTimes> own_times = kept.own_times(problems);
  std::vector<std::size_t> places(problems.size());  // in the report, by slot
  for (const ProblemView& problem : problems) {
    const std::size_t slot = problem.slot->index;
    places[slot] = report_.problems.size();
    ProblemReport& report = report_.problems.emplace_back(problem_report(problem));
    if (!replaced && problem.index) {
      report.time_in_choice = own_times[*problem.index].in_choice;
      report.time_in_defaults = own_times[*problem.index].in_defaults;
    }
    if (problem.slot == failed) {
      note_failure(report, problem, *failure);
    }
    report.walk_ns = time.walk_ns(slot);
    report.first_row = first_rows_[slot].value_or(report_.table.size());
  }
  for (const ProblemView& problem : problems) {
    if (problem.under != nullptr) {
      report_.problems[places[problem.slot->index]].under = {places.at(problem.under->choice_point->index),
                                                             problem.under->config_id};
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
