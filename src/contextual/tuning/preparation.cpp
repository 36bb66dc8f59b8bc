#include "contextual/tuning/preparation.hpp"

#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <set>
#include <string>

namespace contextual::tuning {

using detail::BatchPlan;
using detail::ProblemSlot;
using policy::RejectionOutcome;

namespace {

/// Configs of the batch, fallbacks included.
std::set<std::size_t> needed(const ProblemSlot& slot) {
  if (!slot.has_prepare) {
    return {};
  }
  std::set<std::size_t> configs{0};
  for (const policy::Cell& cell : slot.cells) {
    configs.insert(cell.config_id);
  }
  if (slot.best_so_far) {
    configs.insert(*slot.best_so_far);
  }
  return configs;
}

/// Those that no rank has prepared yet: the same ones on all ranks.
std::vector<std::size_t> unprepared(const ProblemSlot& slot) {
  std::set<std::size_t> configs = needed(slot);
  std::erase_if(configs, [&](std::size_t id) { return slot.prepared[id]; });
  return {configs.begin(), configs.end()};
}

/// Those that were prepared before this rank launched the kernel for the first time.
std::vector<std::size_t> unprepared_here(const ProblemSlot& slot) {
  std::set<std::size_t> configs = slot.members.empty() ? std::set<std::size_t>{} : needed(slot);
  std::erase_if(configs, [&](std::size_t id) { return !slot.prepared[id] || slot.prepared_here[id]; });
  return {configs.begin(), configs.end()};
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

Preparation::Result Preparation::prepare(const BatchPlan& plan) {
  Result result;
  for (ProblemSlot& slot : context_.slots()) {
    if (!slot.state_index) {
      continue;
    }
    for (const RejectionOutcome& late : prepare_slot(slot, unprepared_here(slot), plan)) {
      slot.rejected[late.config_id].store(true, std::memory_order_release);
      slot.late_rejections.push_back({late.config_id, 0, late.reason});
    }
    const std::vector<std::size_t> configs = unprepared(slot);
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
    slot.prepared[id] = true;
    slot.prepared_here[id] = !slot.members.empty();
    std::string reason;
    for (const auto& member : slot.members) {
      if (!member->traits().prepare || !member->alive()) {
        continue;
      }
      try {
        const Watchdog::Section section(watchdog_,
                                        {Activity::prepare, plan.phase(), context_.tuning_iteration});
        member->traits().prepare(id, slot.key);
      } catch (const DeviceError&) {
        device_failure_ = std::current_exception();  // no config is to blame
      } catch (const std::exception& error) {
        reason = error.what();
      } catch (...) {
        reason = "`prepare` threw an exception that is no std::exception";
      }
    }
    if (!reason.empty()) {
      rejections.push_back({*slot.state_index, id, 0, reason});
    }
  }
  return rejections;
}

}  // namespace contextual::tuning
