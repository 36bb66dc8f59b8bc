#include "contextual/tuning/preparation.hpp"

#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <set>
#include <string>

namespace contextual::tuning {

using detail::BatchPlan;
using detail::ProblemSlot;
using policy::RejectionOutcome;

namespace {

/// Configs of the batch, fallbacks included.
std::set<std::size_t> needed(const ProblemSlot& slot) {
  if (!slot.found.has_prepare) {
    return {};
  }
  std::set<std::size_t> configs{0};
  for (const policy::Cell& cell : slot.batch.cells) {
    configs.insert(cell.config_id);
  }
  if (slot.batch.best_so_far) {
    configs.insert(*slot.batch.best_so_far);
  }
  return configs;
}

void append(std::vector<RejectionOutcome>& all, const std::vector<RejectionOutcome>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void Preparation::preload() {
  const Watchdog::Section section(watchdog_, {Activity::prepare, Phase::walk, 0});
  for (const auto& kernel : LaunchRegistry::instance().kernels()) {
    if (kernel->alive()) {
      kernel->preload();
    }
  }
}

std::vector<bool> Preparation::prepared_here(const ProblemSlot& slot) {
  return slot.found.has_prepare ? prepared(slot).here : std::vector<bool>();
}

Preparation::Prepared& Preparation::prepared(const ProblemSlot& slot) {
  prepared_.resize(std::max(prepared_.size(), slot.index + 1));
  Prepared& configs = prepared_[slot.index];
  configs.anywhere.resize(slot.problem.config_count);
  configs.here.resize(slot.problem.config_count);
  return configs;
}

Preparation::Result Preparation::prepare(const BatchPlan& plan) {
  Result result;
  for (ProblemSlot& slot : context_.slots()) {
    const std::set<std::size_t> due = slot.joined() ? needed(slot) : std::set<std::size_t>{};
    if (due.empty()) {
      continue;
    }
    const Prepared done = prepared(slot);
    std::vector<std::size_t> configs;  // those that no rank has prepared yet: the same ones on all ranks
    std::vector<std::size_t> late;     // those that others have prepared before this rank knew the kernel
    for (const std::size_t id : due) {
      if (!done.anywhere[id]) {
        configs.push_back(id);
      } else if (!done.here[id] && !slot.found.members.empty()) {
        late.push_back(id);
      }
    }
    for (const RejectionOutcome& rejection : prepare_slot(slot, late, plan)) {
      slot.launched.rejected[rejection.config_id].store(true, std::memory_order_release);
      slot.launched.rejections.push_back({rejection.config_id, 0, rejection.reason});
    }
    result.something = result.something || !configs.empty() || !late.empty();
    // Decided alike on all ranks, since the plan and what has been prepared are alike.
    result.everywhere = result.everywhere || (slot.shared() && !configs.empty());
    append(slot.shared() ? result.shared : result.own, prepare_slot(slot, configs, plan));
  }
  result.device_failure = device_failure_;
  return result;
}

std::vector<RejectionOutcome> Preparation::prepare_slot(ProblemSlot& slot,
                                                        const std::vector<std::size_t>& configs,
                                                        const BatchPlan& plan) {
  std::vector<RejectionOutcome> rejections;
  for (const std::size_t id : configs) {
    prepared(slot).anywhere[id] = true;
    prepared(slot).here[id] = !slot.found.members.empty();
    std::string reason;
    for (const auto& member : slot.found.members) {
      if (!member->traits().prepare || !member->alive()) {
        continue;
      }
      try {
        const Watchdog::Section section(watchdog_,
                                        {Activity::prepare, plan.phase(), context_.tuning_iteration});
        member->traits().prepare(id, slot.problem.key);
      } catch (const DeviceError&) {
        device_failure_ = std::current_exception();  // no config is to blame
      } catch (const std::exception& error) {
        reason = error.what();
      } catch (...) {
        reason = "`prepare` threw an exception that is no std::exception";
      }
    }
    if (!reason.empty()) {
      rejections.push_back({*problems_.index_of(slot), id, 0, reason});
    }
  }
  return rejections;
}

}  // namespace contextual::tuning
