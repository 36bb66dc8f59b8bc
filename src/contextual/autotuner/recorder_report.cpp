/// \file
/// Recorder: the finals, and the report that remains of a run.

#include "contextual/autotuner/failure.hpp"
#include "contextual/autotuner/recorder.hpp"
#include "contextual/policy/statistics.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace contextual::autotuner {

using detail::ProblemSlot;
using policy::Contest;

const Config& config_of(const ProblemSlot& slot, std::size_t config_id) {
  static const Config unknown;
  return slot.members.empty() ? unknown : slot.members.front()->space().configs[config_id];
}

namespace {

std::string kind_text(Contest::Kind kind) {
  switch (kind) {
    case Contest::Kind::sets:
      return "sets";
    case Contest::Kind::problem:
      return "problem";
    case Contest::Kind::verdict:
      break;
  }
  return "verdict";
}

std::string entry_name(Contest::Kind kind, std::size_t id) {
  switch (kind) {
    case Contest::Kind::sets:
      return "set-" + std::to_string(id);
    case Contest::Kind::problem:
      return "config-" + std::to_string(id);
    case Contest::Kind::verdict:
      break;
  }
  return id == 0 ? "defaults" : "chosen";
}

}  // namespace

void Recorder::contests(const std::vector<policy::Contest>& contests,
                        const std::vector<ProblemView>& problems) {
  for (; contests_written_ < contests.size(); ++contests_written_) {
    const policy::Contest& contest = contests[contests_written_];
    auto event = stamped<store::Contest>();
    event.kind = kind_text(contest.kind);
    event.pass = contest.pass;
    event.reason = contest.reason;
    for (const ProblemView& problem : problems) {
      const bool subject = problem.slot->shared() && problem.slot->state_index == contest.problem;
      if (contest.kind == policy::Contest::Kind::problem && subject) {
        event.kernel = problem.slot->name;
        event.key = problem.slot->key_text;
      }
    }
    for (const policy::Contender& contender : contest.contenders) {
      store::ContestEntry& entry = event.entries.emplace_back();
      entry.name = entry_name(contest.kind, contender.config_id);
      entry.config_id = contender.config_id;
      entry.round_count = contender.makespan.count;
      entry.makespan_ns = contender.makespan.centre_ns;
      entry.spread_ns = contender.makespan.spread_ns;
      entry.gain_ns = contender.gain ? std::optional(contender.gain->centre_ns) : std::nullopt;
      entry.chosen = contender.chosen;
      if (contest.kind == policy::Contest::Kind::verdict) {
        (contender.config_id == 0 ? report_.default_makespan : report_.tuned_makespan) =
            TimeSummary{contender.makespan.count, contender.makespan.centre_ns, contender.makespan.spread_ns};
      }
    }
    report_.contests.push_back(
        {event.kernel.empty() ? event.kind : event.kernel + " " + event.key, contest.reason});
    write(event);
  }
}

namespace {

ProblemOutcome outcome_of(policy::ProblemStatus status) {
  switch (status) {
    case policy::ProblemStatus::locked_in:
      return ProblemOutcome::locked_in;
    case policy::ProblemStatus::incomplete:
      return ProblemOutcome::incomplete;
    case policy::ProblemStatus::failed:
      return ProblemOutcome::failed;
    case policy::ProblemStatus::walking:
    case policy::ProblemStatus::walked:
      break;
  }
  return ProblemOutcome::open;
}

TimeSummary time_summary(const std::vector<std::int64_t>& samples, policy::Statistic statistic) {
  const policy::Summary summary = policy::summarize(samples, statistic);
  return {summary.count, summary.centre_ns, summary.spread_ns};
}

ProblemReport report_of(const ProblemView& problem, policy::Statistic statistic) {
  const ProblemSlot& slot = *problem.slot;
  ProblemReport report;
  report.kernel = slot.name;
  report.key = slot.key_text;
  if (problem.record == nullptr) {
    return report;
  }
  const policy::ProblemRecord& record = *problem.record;
  report.outcome = outcome_of(record.status);
  report.choice = record.choice;
  report.choice_config = config_of(slot, record.choice);
  report.reason = record.reason;
  report.reused = slot.locked_config.has_value();
  for (std::size_t id = 0; id < record.configs.size(); ++id) {
    const policy::ConfigRecord& config = record.configs[id];
    report.configs.push_back({id, config_of(slot, id), time_summary(config.samples_ns, statistic),
                              time_summary(config.makespans_ns, statistic), config.rejection, config.pruned});
  }
  return report;
}

/// The order in which the ranks agreed on the problems, then this rank's own: where threads discover them,
/// each rank has its own order of slots.
std::vector<ProblemView> agreed_order(std::vector<ProblemView> problems) {
  const auto place = [](const ProblemView& problem) {
    const ProblemSlot& slot = *problem.slot;
    const bool joined = slot.state_index.has_value();
    return std::make_tuple(!joined, !slot.shared(), joined ? *slot.state_index : slot.index);
  };
  std::sort(problems.begin(), problems.end(),
            [&](const ProblemView& a, const ProblemView& b) { return place(a) < place(b); });
  return problems;
}

}  // namespace

void Recorder::end(const std::exception_ptr& thrown, const Ending& ending) {
  auto event = stamped<store::RunEnd>();
  if (thrown) {
    const Failure failure = describe(thrown, rank_);
    event.status = "failed";
    event.error = failure.text;
    event.error_type = failure.type;
    event.blamed_ranks = failure.blamed_ranks;
  }
  event.phase = ending.phase;
  event.tuning_iteration = ending.tuning_iteration;
  event.problem_count = ending.problems.size();
  event.elapsed_ns = elapsed_ns();
  if (ending.state != nullptr) {
    event.walk_iterations = report_.walk_iterations = ending.state->walk_iterations();
    event.finals_iterations = report_.finals_iterations = ending.state->finals_iterations();
    event.retakes = report_.retakes = ending.state->retakes();
    report_.hit_iteration_cap = ending.state->hit_iteration_cap();
  }
  std::map<std::size_t, std::size_t> places;  // in the report, by slot
  for (const ProblemView& problem : agreed_order(ending.problems)) {
    places[problem.slot->index] = report_.problems.size();
    report_.problems.push_back(report_of(problem, options_.policy.statistic));
    const auto first_row = first_rows_.find(problem.slot->index);
    report_.problems.back().first_row =
        first_row == first_rows_.end() ? report_.table.size() : first_row->second;
    for (const ConfigReport& config : report_.problems.back().configs) {
      event.rejected_count += config.rejection ? 1 : 0;
    }
  }
  for (TableRow& row : report_.table) {
    for (TableCell& cell : row.cells) {
      cell.problem = places.at(cell.problem);
    }
  }
  write(event);
}

}  // namespace contextual::autotuner
