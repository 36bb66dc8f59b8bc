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
  if (!slot.found.needs_loading) {
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

/// Empty if the config space is bad, which the first launch says.
Config default_of(const detail::KernelCore& kernel) {
  try {
    return kernel.space().configs.front();
  } catch (...) {
    return {};
  }
}

/// While it lives, this config is what the process may die of, and what the watchdog names.
class BeingPrepared {
 public:
  BeingPrepared(detail::RunContext& context, Continuation& continuation, const ProblemSlot& slot,
                std::size_t config_id)
      : context_(context), continuation_(continuation) {
    const Config config = slot.found.members.front()->space().configs.at(config_id);
    context_.set_preparing(
        detail::CurrentLaunch{slot.problem.name, slot.problem.key_text, config_id, config});
    continuation_.begin_preparing(slot.problem, config_id);
  }
  BeingPrepared(const BeingPrepared&) = delete;
  BeingPrepared& operator=(const BeingPrepared&) = delete;
  ~BeingPrepared() {
    continuation_.end_preparing();
    context_.set_preparing(std::nullopt);
  }

 private:
  detail::RunContext& context_;
  Continuation& continuation_;
};

void append(std::vector<RejectionOutcome>& all, const std::vector<RejectionOutcome>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void Preparation::load_defaults() {
  for (const auto& kernel : LaunchRegistry::instance().kernels()) {
    if (kernel->alive() && kernel->traits().load) {
      context_.set_preparing(detail::CurrentLaunch{kernel->traits().name, "", 0, default_of(*kernel)});
      const Watchdog::Section section(watch_, {Activity::prepare, Phase::walk, 0});
      kernel->load_first();
    }
  }
  context_.set_preparing(std::nullopt);
}

std::vector<bool> Preparation::prepared_here(const ProblemSlot& slot) {
  return slot.found.needs_loading ? prepared(slot).here : std::vector<bool>();
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
    result.everywhere = result.everywhere || !configs.empty();
    append(result.rejections, prepare_slot(slot, configs, plan));
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
    std::string reason = continuation_.quarantine_of(slot.problem, id).value_or("");
    for (const auto& member : slot.found.members) {
      if (!member->traits().load || !member->alive() || !reason.empty()) {
        continue;
      }
      try {
        const BeingPrepared now(context_, continuation_, slot, id);
        const Watchdog::Section section(watch_, {Activity::prepare, plan.phase(), context_.tuning_iteration});
        member->traits().load(id, &slot.problem.key);
      } catch (const DeviceError&) {
        device_failure_ = std::current_exception();  // no config is to blame
      } catch (const std::exception& error) {
        reason = error.what();
      } catch (...) {
        reason = "`load` threw an exception that is no std::exception";
      }
    }
    if (!reason.empty()) {
      rejections.push_back({*problems_.index_of(slot), id, 0, reason});
    }
  }
  return rejections;
}

}  // namespace contextual::tuning
