#include "contextual/autotuner/batch.hpp"

#include "contextual/autotuner/failure.hpp"
#include "contextual/autotuner/resolved_options.hpp"
#include "contextual/measure/spans.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace contextual::autotuner {

using detail::LaunchRecord;
using detail::ProblemSlot;

std::string_view phase_name(policy::Phase phase) {
  switch (phase) {
    case policy::Phase::walk:
      return "walk";
    case policy::Phase::finals:
      return "finals";
    case policy::Phase::final_run:
      break;
  }
  return "final";
}

void BatchRunner::run(Batch& batch, const std::function<void()>& region) {
  context_.begin_batch();
  iterations_.clear();
  for (std::size_t i = 0; i < batch.length && !batch.failure; ++i) {
    try {
      run_iteration(batch, i, region);
    } catch (...) {
      keep_failure(batch);
    }
  }
  settle(batch);
}

void BatchRunner::run_iteration(Batch& batch, std::size_t iteration, const std::function<void()>& region) {
  const std::int64_t tuning_iteration = batch.first_iteration + static_cast<std::int64_t>(iteration);
  context_.tuning_iteration = tuning_iteration;
  context_.batch_iteration = static_cast<std::uint32_t>(iteration);
  const std::string_view phase = phase_name(batch.phases[iteration]);
  const IterationInfo info{context_.region(), phase, tuning_iteration};
  const auto watched = [&](const char* activity) {
    return Watchdog::Section(watchdog_, {activity, phase.data(), tuning_iteration});
  };
  // Launches of the hooks are not part of what is tuned; they use what is locked in for the region.
  const detail::ThreadStateScope hooks({.region = context_.region_id()});
  if (options_.before_iteration) {
    const auto section = watched("before_iteration");
    options_.before_iteration(info);
  }
  context_.threads().front().current.store(0, std::memory_order_relaxed);  // no launch yet in this one
  IterationTiming timing;
  timing.tuning_iteration = tuning_iteration;
  {
    const auto section = watched("region");
    const detail::ThreadStateScope scope(
        {.log = &context_.threads().front(), .region = context_.region_id()});
    context_.timer().begin_iteration(tuning_iteration, timing.note);
    region();
    context_.timer().end_iteration(tuning_iteration, timing.note);
  }
  check_region_left_well();
  iterations_.push_back(timing);
  if (options_.after_iteration) {
    const auto section = watched("after_iteration");
    options_.after_iteration(info);
  }
}

void BatchRunner::check_region_left_well() {
  if (context_.has_live_guards()) {
    throw Error("region \"" + context_.region() +
                "\" returned while a thread held a ContextGuard: a guard lives within one run of the region, "
                "so that its thread makes a new one each time");
  }
  if (const std::exception_ptr failure = context_.failure()) {
    std::rethrow_exception(failure);  // the region caught what the launch threw
  }
}

void BatchRunner::keep_failure(Batch& batch) {
  if (batch.failure) {
    return;  // the first one is the cause
  }
  batch.failure = std::current_exception();
  batch.cause = text_of(batch.failure);
  try {
    throw;
  } catch (const TuningFailedError&) {
    batch.tuning_failed = true;
  } catch (...) {
    batch.tuning_failed = false;
  }
}

void BatchRunner::settle(Batch& batch) {
  std::vector<LaunchRecord*> records;
  std::vector<LaunchTiming> timings;
  for (detail::ThreadLog& log : context_.threads()) {
    for (LaunchRecord& record : log.records) {
      records.push_back(&record);
      timings.push_back({record.note, batch.first_iteration + record.batch_iteration, {}});
    }
  }
  try {
    const Watchdog::Section section(
        watchdog_, {"settle", phase_name(batch.phases.front()).data(), context_.tuning_iteration});
    context_.timer().settle(timings, iterations_, Deadline::after(options_.deadline));
    context_.mark_settled();
    batch.conditions = context_.timer().conditions();
  } catch (...) {
    keep_settle_failure(batch);
  }
  batch.makespans_ns.assign(batch.length, std::nullopt);
  for (std::size_t i = 0; i < iterations_.size(); ++i) {
    if (iterations_[i].makespan_ns > 0) {
      batch.makespans_ns[i] = iterations_[i].makespan_ns;
    }
  }
  fill_cells(batch, records, timings);
  drop_disturbed(batch);
}

/// The timer knows that the device failed, the launches say which kernel it can have been.
void BatchRunner::keep_settle_failure(Batch& batch) {
  try {
    throw;
  } catch (const DeviceError& error) {
    const auto suspects = context_.suspects();
    const std::string cause = "region \"" + context_.region() + "\", tuning iterations " +
                              std::to_string(batch.first_iteration) + " to " +
                              std::to_string(context_.tuning_iteration) +
                              ": the device no longer works for this process: " + error.what() + ". " +
                              detail::suspects_text(suspects);
    if (batch.failure) {
      context_.note(cause);  // the region noticed first: it throws what it threw
      return;
    }
    batch.cause = cause;
    batch.failure = std::make_exception_ptr(DeviceError(cause, suspects));
  } catch (...) {
    keep_failure(batch);
  }
}

/// Times that must not be compared are no times: the state takes them again.
void BatchRunner::drop_disturbed(Batch& batch) {
  if (batch.conditions.disturbance.empty()) {
    return;
  }
  batch.makespans_ns.assign(batch.length, std::nullopt);
  for (std::vector<LocalCell>& cells : batch.cells) {
    for (LocalCell& cell : cells) {
      cell.time_ns.reset();
    }
  }
}

void BatchRunner::fill_cells(Batch& batch, const std::vector<LaunchRecord*>& records,
                             const std::vector<LaunchTiming>& timings) {
  struct Busy {
    std::vector<Span> spans;
    bool complete = true;
  };
  std::map<const ProblemSlot*, std::vector<Busy>> busy;
  batch.cells.assign(context_.slots().size(), std::vector<LocalCell>(batch.length));
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LaunchRecord& record = *records[i];
    if (record.late) {
      continue;  // for this rank the problem begins with the next batch
    }
    LocalCell& cell = batch.cells[record.slot->index][record.batch_iteration];
    cell.launched = true;
    cell.fallback = cell.fallback || record.fallback;
    cell.config_id = record.config_id;
    auto& of_slot = busy.try_emplace(record.slot, batch.length).first->second;
    Busy& of_iteration = of_slot[record.batch_iteration];
    of_iteration.complete = of_iteration.complete && !timings[i].spans.empty();
    of_iteration.spans.insert(of_iteration.spans.end(), timings[i].spans.begin(), timings[i].spans.end());
  }
  for (const auto& [slot, of_slot] : busy) {
    for (std::size_t i = 0; i < batch.length; ++i) {
      LocalCell& cell = batch.cells[slot->index][i];
      const std::int64_t time_ns = measure::busy_ns(of_slot[i].spans);
      // A launch without a time would make the sum too short: rather no sample.
      if (cell.launched && !cell.fallback && of_slot[i].complete && time_ns > 0) {
        cell.time_ns = time_ns;
      }
    }
  }
}

}  // namespace contextual::autotuner
