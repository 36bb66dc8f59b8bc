#include "contextual/autotuner/recorder.hpp"

#include "contextual/policy/statistics.hpp"
#include "contextual/store/progress.hpp"
#include "contextual/store/utc_time.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <utility>

namespace contextual::autotuner {

using detail::ProblemSlot;
using policy::Cell;

namespace {

std::string new_run_id() {
  static std::atomic<unsigned> next{0};
  return store::utc_text(std::chrono::system_clock::now(), "%Y%m%dT%H%M%SZ") + "-" +
         std::to_string(getpid()) + "-" + std::to_string(next.fetch_add(1));
}

std::string_view role_of(const Cell& cell) {
  switch (cell.role) {
    case Cell::Role::step:
      return cell.warmup ? "warmup" : "repeat";
    case Cell::Role::candidate:
      return "candidate";
    case Cell::Role::best:
      break;
  }
  return "best";
}

std::string table_text(const Cell& cell) {
  switch (cell.role) {
    case Cell::Role::step:
      return "config-" + std::to_string(cell.config_id) + " (iter-" + std::to_string(cell.iteration) + ")";
    case Cell::Role::candidate:
      return "config-" + std::to_string(cell.config_id) + " (candidate)";
    case Cell::Role::best:
      break;
  }
  return "best-config";
}

std::string problem_text(const ProblemSlot& slot) {
  return slot.name + " " + slot.key_text;
}

}  // namespace

Recorder::Recorder(const ResolvedOptions& options, std::string region)
    : options_(options), region_(std::move(region)), rank_(options.communicator->rank()) {
  report_.region = region_;
  report_.run_id = new_run_id();
  if (!options.log_directory.empty()) {
    log_.emplace(options.log_directory, options.communicator->process_rank());
    report_.log_directory = log_->directory().string();
  }
  auto start = stamped<store::RunStart>();
  start.ranks = options.communicator->size();
  start.group = options.communicator->describe();
  start.process_rank = options.communicator->process_rank();
  start.options = options.agreed_text();
  start.time_iso8601 = store::utc_text(std::chrono::system_clock::now());
  write(start);
}

void Recorder::hello(const std::string& tuning_id, const Timer& timer) {
  auto event = stamped<store::Hello>();
  event.tuning_id = tuning_id;
  event.timer = timer.name();
  event.timer_bias_ns = timer.bias_ns();
  report_.timer = event.timer;
  report_.timer_bias_ns = event.timer_bias_ns;
  write(event);
}

void Recorder::conditions(const Batch& batch) {
  for (const DeviceState& device : batch.conditions.devices) {
    auto event = stamped<store::DeviceConditions>();
    event.phase = phase_name(batch.phases.front());
    event.tuning_iteration = batch.first_iteration;
    event.iteration_count = batch.length;
    event.device = device.device;
    event.sm_clock_mhz = device.sm_clock_mhz;
    event.memory_clock_mhz = device.memory_clock_mhz;
    event.temperature_celsius = device.temperature_celsius;
    event.power_watts = device.power_watts;
    event.slowed_by = device.slowed_by;
    event.disturbance = batch.conditions.disturbance;
    write(event);
  }
  if (!batch.conditions.disturbance.empty()) {
    warning("the times of tuning iterations " + std::to_string(batch.first_iteration) + " to " +
            std::to_string(batch.first_iteration + static_cast<std::int64_t>(batch.length) - 1) +
            " do not count and are taken again: " + batch.conditions.disturbance);
  }
}

void Recorder::write(const store::Event& event) {
  if (log_) {
    log_->write(event);
  }
}

void Recorder::print(const std::string& line) const {
  if (options_.print && rank_ == 0) {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
}

std::int64_t Recorder::elapsed_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_)
      .count();
}

Cell Recorder::cell_of(const Batch& batch, const ProblemView& problem, std::size_t iteration) const {
  const ProblemSlot& slot = *problem.slot;
  if (!slot.cells.empty()) {
    return slot.cells[iteration];
  }
  Cell cell;
  cell.config_id =
      slot.locked_config.value_or(slot.members.empty() ? 0 : slot.members.front()->first_config());
  if (!slot.locked_config) {
    cell.role = Cell::Role::step;
    for (std::size_t i = 0; i < iteration; ++i) {
      cell.iteration += batch.cells[slot.index][i].launched ? 1 : 0;
    }
    cell.warmup = cell.iteration < options_.policy.n_warmup;
  }
  return cell;
}

void Recorder::batch(const Batch& batch, const std::vector<ProblemView>& problems,
                     const AgreedTimes& agreed) {
  for (std::size_t i = 0; i < batch.length; ++i) {
    TableRow& row = report_.table.emplace_back();
    row.phase = phase_name(batch.phases[i]);
    const bool final_row = batch.phases[i] == policy::Phase::final_run;
    row.iteration =
        final_row ? "final" : std::to_string(batch.first_iteration + static_cast<std::int64_t>(i));
    for (const ProblemView& problem : problems) {
      const std::size_t index = problem.slot->index;
      const bool known = index < batch.cells.size();
      const bool planned = known && !problem.slot->cells.empty();
      const bool launched = known && batch.cells[index][i].launched;
      if (!planned && !launched) {
        continue;  // not seen yet
      }
      first_rows_.try_emplace(index, report_.table.size() - 1);
      const Cell cell = cell_of(batch, problem, i);
      if (!launched) {
        row.cells.push_back({index, "-"});
      } else if (cell.role != Cell::Role::best) {
        row.cells.push_back({index, table_text(cell)});
      }
      launch_row(batch, problem, i, cell, agreed);
    }
  }
}

void Recorder::launch_row(const Batch& batch, const ProblemView& problem, std::size_t iteration,
                          const Cell& cell, const AgreedTimes& agreed) {
  const ProblemSlot& slot = *problem.slot;
  const LocalCell& local = batch.cells[slot.index][iteration];
  auto row = stamped<store::LaunchRow>(slot);
  row.phase = phase_name(batch.phases[iteration]);
  row.tuning_iteration = batch.first_iteration + static_cast<std::int64_t>(iteration);
  row.config_id = cell.config_id;
  row.config = config_of(slot, cell.config_id);
  row.role = role_of(cell);
  row.step_iteration = cell.iteration;
  row.local_ns = local.time_ns;
  row.makespan_ns = row.local_makespan_ns = batch.makespans_ns[iteration];
  if (slot.index < agreed.time_ns.size()) {
    row.agreed_ns = agreed.time_ns[slot.index][iteration];
    row.makespan_ns = agreed.makespan_ns[iteration];
  }
  row.status = !local.launched  ? "not launched"
               : local.fallback ? "fallback"
               : local.time_ns  ? "ok"
                                : "no time";
  for (const detail::LocalRejection& rejection : slot.rejections) {
    if (rejection.batch_iteration == iteration && rejection.config_id == cell.config_id) {
      row.status = "rejected";
      row.detail = rejection.reason;
    }
  }
  config_complete(row, problem, cell);
  write(row);
}

void Recorder::config_complete(store::LaunchRow& row, const ProblemView& problem, const Cell& cell) {
  const int last = options_.policy.n_warmup + options_.policy.n_repeat - 1;
  if (cell.role != Cell::Role::step || cell.iteration != last || problem.record == nullptr) {
    return;
  }
  const policy::ConfigRecord& config = problem.record->configs[cell.config_id];
  const policy::Summary summary = policy::summarize(config.samples_ns, options_.policy.statistic);
  if (summary.count == 0) {
    return;
  }
  row.average_ns = summary.centre_ns;
  auto complete = stamped<store::ConfigSummary>(*problem.slot);
  complete.config_id = cell.config_id;
  complete.config = row.config;
  complete.sample_count = summary.count;
  complete.centre_ns = summary.centre_ns;
  complete.spread_ns = summary.spread_ns;
  write(complete);
}

void Recorder::rejected(const ProblemSlot& slot, std::size_t config_id, const std::string& reason,
                        const Batch& batch) {
  auto event = stamped<store::Rejected>(slot);
  event.phase = phase_name(batch.phases.front());
  event.tuning_iteration = batch.first_iteration;
  event.config_id = config_id;
  event.config = config_of(slot, config_id);
  event.reason = reason;
  write(event);
  print("[contextual] " + region_ + ": " + problem_text(slot) + ": config-" + std::to_string(config_id) +
        " " + event.config.to_string() + " rejected: " + reason);
}

void Recorder::choice(const ProblemView& problem) {
  const ProblemSlot& slot = *problem.slot;
  const policy::ProblemRecord& record = *problem.record;
  auto event = stamped<store::Choice>(slot);
  event.config_id = record.choice;
  event.config = config_of(slot, record.choice);
  event.reason = record.reason;
  event.status = record.status == policy::ProblemStatus::incomplete ? "incomplete" : "locked_in";
  const policy::Summary summary =
      policy::summarize(record.configs[record.choice].samples_ns, options_.policy.statistic);
  if (summary.count > 0) {
    event.latency_ns = summary.centre_ns;
  }
  write(event);
  print("[contextual] " + region_ + ": " + problem_text(slot) + ": " + event.status + " config-" +
        std::to_string(record.choice) + " " + event.config.to_string() + ": " + record.reason);
}

void Recorder::warning(const std::string& text) {
  auto event = stamped<store::Warning>();
  event.text = text;
  write(event);
  report_.warnings.push_back(text);
  print("[contextual] " + region_ + ": warning: " + text);
}

void Recorder::progress(const policy::TuningState& state, const std::string& phase,
                        std::size_t open_problems) {
  auto event = stamped<store::Progress>();
  event.phase = phase;
  event.iterations_done = state.iterations();
  event.iterations_expected = state.iterations() + state.expected_remaining_iterations();
  event.problem_count = state.problem_count();
  event.elapsed_ns = elapsed_ns();
  write(event);
  print(store::format_progress(event));
  if (options_.progress) {
    Progress progress;
    progress.region = region_;
    progress.phase = event.phase;
    progress.iterations_done = event.iterations_done;
    progress.iterations_expected = event.iterations_expected;
    progress.open_problems = open_problems;
    progress.elapsed = std::chrono::nanoseconds(event.elapsed_ns);
    progress.estimated_left = std::chrono::nanoseconds(
        store::estimate_left_ns(event.iterations_done, event.iterations_expected, event.elapsed_ns)
            .value_or(0));
    options_.progress(progress);
  }
}

}  // namespace contextual::autotuner
