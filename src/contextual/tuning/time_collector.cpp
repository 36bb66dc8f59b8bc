#include "contextual/tuning/time_collector.hpp"

#include "contextual/launch/exception_text.hpp"
#include "contextual/tuning/makespans.hpp"
#include "contextual/tuning/overlaps.hpp"
#include "contextual/tuning/timelines.hpp"

#include <contextual/detail/measure/spans.hpp>
#include <contextual/error.hpp>

#include <optional>
#include <string>
#include <unordered_map>

namespace contextual::tuning {

using detail::BatchPlan;
using detail::BatchResult;
using detail::LaunchRecord;
using detail::LocalCell;
using detail::ProblemSlot;

namespace {

/// A problem's launches in one tuning iteration.
struct OwnWork {
  std::vector<Span> spans;  ///< of whole launches
  bool complete = true;     ///< every launch has a time, kept no device busy, or was not to be timed
  bool untimed = false;     ///< some launch was not to be timed
};

/// Times that must not be compared are no times: the states take them again.
void drop_disturbed(BatchResult& result) {
  if (!result.disturbed()) {
    return;
  }
  result.makespans_ns.assign(result.makespans_ns.size(), std::nullopt);
  for (std::vector<LocalCell>& cells : result.cells) {
    for (LocalCell& cell : cells) {
      cell.time_ns.reset();
    }
  }
}

}  // namespace

detail::BatchFailure failure_of(const std::exception_ptr& thrown) {
  detail::BatchFailure failure{thrown, detail::exception_text(thrown)};
  try {
    std::rethrow_exception(thrown);
  } catch (const TuningFailedError&) {
    failure.tuning_failed = true;
  } catch (...) {
    failure.tuning_failed = false;
  }
  return failure;
}

detail::BatchFailure failure_before_launch(const std::exception_ptr& thrown) {
  detail::BatchFailure failure = failure_of(thrown);
  failure.launched = false;
  return failure;
}

BatchResult TimeCollector::settle(const BatchPlan& plan, std::vector<IterationTiming>& iterations,
                                  const detail::BatchFailure& failure) {
  BatchResult result;
  result.failure = failure;
  collect(plan);
  wait(plan, iterations, result);
  result.makespans_ns = makespans_of(plan, iterations, options_.iterations);
  fill_cells(result, plan.length());
  if (options_.iterations == Iterations::joined) {
    fill_overlaps(result, iterations);
  }
  result.timelines = timelines_of(records_, timings_, iterations);
  drop_unplanned(result);
  drop_disturbed(result);
  return result;
}

/// The makespan of an iteration in which a launch did not use the planned config is that of another
/// assignment.
void TimeCollector::drop_unplanned(BatchResult& result) {
  for (std::size_t i = 0; i < result.makespans_ns.size(); ++i) {
    bool planned = !context_.has_untuned_launch(static_cast<std::uint32_t>(i));
    for (const std::vector<LocalCell>& cells : result.cells) {
      planned = planned && !cells[i].fallback;
    }
    if (!planned) {
      result.makespans_ns[i].reset();
    }
  }
}

void TimeCollector::collect(const BatchPlan& plan) {
  records_.clear();
  timings_.clear();
  untimed_.clear();
  for (detail::ThreadLog& log : context_.threads()) {
    for (LaunchRecord& record : log.records) {
      if (record.slot->problem.choice_point) {
        untimed_.push_back(&record);
        continue;
      }
      records_.push_back(&record);
      timings_.push_back({record.note, plan.first_iteration + record.batch_iteration, {}});
    }
  }
}

void TimeCollector::wait(const BatchPlan& plan, std::vector<IterationTiming>& iterations,
                         BatchResult& result) {
  try {
    const Watchdog::Section section(watch_, {Activity::settle, plan.phase(), context_.tuning_iteration});
    context_.timer().settle(timings_, iterations, Deadline::after(options_.deadline));
    context_.mark_settled();
    result.conditions = context_.timer().conditions();
  } catch (const DeviceError& error) {
    keep_device_failure(error, plan, result);
  } catch (...) {
    if (!result.failure) {
      result.failure = failure_of(std::current_exception());
    }
  }
}

/// The timer knows that the device failed, the launches say which kernel it can have been.
void TimeCollector::keep_device_failure(const DeviceError& error, const BatchPlan& plan,
                                        BatchResult& result) {
  const auto suspects = context_.suspects();
  const std::string cause =
      "region \"" + context_.region() + "\", tuning iterations " + std::to_string(plan.first_iteration) +
      " to " + std::to_string(context_.tuning_iteration) +
      ": the device does not work for this process: " + error.what() + ". " + detail::suspects_text(suspects);
  if (result.failure) {
    context_.note(cause);  // the region noticed first: it throws what it threw
  } else {
    result.failure = {std::make_exception_ptr(DeviceError(cause, suspects)), cause};
  }
}

void TimeCollector::fill_cells(BatchResult& result, std::size_t length) const {
  std::unordered_map<const ProblemSlot*, std::vector<OwnWork>> work;
  result.cells.assign(context_.slots().size(), std::vector<LocalCell>(length));
  const auto note = [&](const LaunchRecord& record) {
    LocalCell& cell = result.cells[record.slot->index][record.batch_iteration];
    cell.launched = true;
    cell.fallback = cell.fallback || record.fallback;
    cell.config_id = record.config_id;
  };
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const LaunchRecord& record = *records_[i];
    if (record.late) {
      continue;  // for this rank the problem begins with the next batch
    }
    note(record);
    OwnWork& own = work.try_emplace(record.slot, length).first->second[record.batch_iteration];
    const LaunchTiming& timing = timings_[i];
    own.complete = own.complete && (timing.idle || timing.untimed || !timing.spans.empty());
    own.untimed = own.untimed || timing.untimed;
    const std::vector<Span> launch = measure::extents(timing.spans);
    own.spans.insert(own.spans.end(), launch.begin(), launch.end());
  }
  for (const LaunchRecord* record : untimed_) {
    note(*record);
  }
  for (const auto& [slot, of_slot] : work) {
    for (std::size_t i = 0; i < length; ++i) {
      LocalCell& cell = result.cells[slot->index][i];
      const OwnWork& own = of_slot[i];
      const std::int64_t time_ns = own.spans.empty() ? 1 : measure::busy_ns(own.spans);
      // A launch without a time would make the sum too short: rather no sample.
      const bool sound = cell.launched && !cell.fallback && own.complete;
      cell.untimed = sound && own.untimed;
      if (sound && !own.untimed && time_ns > 0) {
        cell.time_ns = time_ns;
      }
    }
  }
}

/// Cells keep `overlaps` where an iteration did not run to its end. What a timer of the host does not see is
/// left to the ranks, who compare the agreed makespans with the agreed times.
void TimeCollector::fill_overlaps(BatchResult& result, std::span<const IterationTiming> iterations) const {
  std::vector<IterationOverlaps> overlaps(iterations.size());
  for (std::size_t i = 0; i < records_.size(); ++i) {
    if (const std::size_t iteration = records_[i]->batch_iteration; iteration < overlaps.size()) {
      const ProblemSlot& slot = *records_[i]->slot;
      overlaps[iteration].add_launch(slot.index, timings_[i], !slot.problem.coupling.empty());
    }
  }
  const bool host_only = !context_.timer().measures_devices();
  for (std::size_t i = 0; i < overlaps.size(); ++i) {
    const std::optional<std::vector<Span>>& others = iterations[i].other_spans;
    overlaps[i].set_others(host_only && !others ? std::vector<Span>{} : others);
    const std::vector<bool> by_slot = overlaps[i].by_problem(result.cells.size());
    for (std::size_t slot = 0; slot < by_slot.size(); ++slot) {
      result.cells[slot][i].overlaps = by_slot[slot];
    }
  }
}

}  // namespace contextual::tuning
