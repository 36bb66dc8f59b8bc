#include "contextual/record/launch_event.hpp"

namespace contextual::record {

using policy::Cell;

namespace {

LaunchRole role_of(const Cell& cell) {
  switch (cell.role) {
    case Cell::Role::step:
      return cell.warmup ? LaunchRole::warmup : LaunchRole::repeat;
    case Cell::Role::lead_in:
      return LaunchRole::lead_in;
    case Cell::Role::candidate:
      return LaunchRole::candidate;
    case Cell::Role::best:
      break;
  }
  return LaunchRole::best;
}

}  // namespace

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

LaunchRow launch_event(const detail::BatchPlan& plan, const detail::BatchResult& result,
                       const detail::AgreedTimes& agreed, const detail::ProblemSlot& slot,
                       std::size_t iteration, const Cell& cell) {
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

}  // namespace contextual::record
