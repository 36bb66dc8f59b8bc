/// \file
/// RegionRun: what the next batch needs is prepared while no region work is in flight; what cannot be
/// prepared on one rank is launched on none.

#include "contextual/autotuner/failure.hpp"
#include "contextual/autotuner/region_run.hpp"

#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <set>

namespace contextual::autotuner {

using detail::ProblemSlot;

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

}  // namespace

std::vector<policy::RejectionOutcome> RegionRun::prepare_slot(ProblemSlot& slot,
                                                              const std::vector<std::size_t>& configs) {
  std::vector<policy::RejectionOutcome> rejections;
  for (const std::size_t id : configs) {
    slot.prepared[id] = true;
    slot.prepared_here[id] = !slot.members.empty();
    std::string reason;
    for (const auto& member : slot.members) {
      if (!member->traits().prepare || !member->alive()) {
        continue;
      }
      try {
        const Watchdog::Section section(*watchdog_,
                                        {"prepare", phase_name(phase_).data(), context_.tuning_iteration});
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

void RegionRun::preload() {
  const Watchdog::Section section(*watchdog_, {"prepare", phase_name(phase_).data(), 0});
  for (const auto& kernel : LaunchRegistry::instance().kernels()) {
    if (kernel->alive()) {
      kernel->preload();
    }
  }
}

/// Said once a run, of the kernels that it launched.
void RegionRun::warn_of_loading() {
  const std::string hazard = timer_->loading_hazard();
  if (hazard.empty()) {
    return;
  }
  for (const ProblemSlot& slot : context_.slots()) {
    for (const auto& member : slot.members) {
      const detail::KernelTraits& traits = member->traits();
      if (traits.takes_stream && (!traits.prepare || !traits.preload)) {
        context_.note(
            "kernel \"" + traits.name + "\" has no `" + (traits.prepare ? "preload" : "prepare") +
            "`: " + hazard +
            ". Its first launch of a config may then wait for the device, for ever beside a kernel that "
            "waits for a later launch. Load its code in `prepare` and `preload`, or load all code when "
            "the program starts");
      }
    }
  }
}

/// What the batch has to say beyond times.
void RegionRun::tell_notes(const Batch& batch) {
  recorder_.conditions(batch);
  for (const std::string& warning : batch.conditions.warnings) {
    context_.note(warning);
  }
  for (const std::string& note : context_.take_notes()) {
    recorder_.warning(note);
  }
}

bool RegionRun::prepare(Batch& batch) {
  bool all_ranks_prepare = false;  // decided alike on all ranks: the plan and `prepared` are
  std::vector<policy::RejectionOutcome> shared_rejections;
  std::vector<policy::RejectionOutcome> local_rejections;
  for (ProblemSlot& slot : context_.slots()) {
    if (!slot.state_index) {
      continue;
    }
    for (const policy::RejectionOutcome& late : prepare_slot(slot, unprepared_here(slot))) {
      slot.rejected[late.config_id].store(true, std::memory_order_release);
      slot.late_rejections.push_back({late.config_id, 0, late.reason});  // agreed with the next batch
    }
    const std::vector<std::size_t> configs = unprepared(slot);
    all_ranks_prepare = all_ranks_prepare || (slot.shared() && !configs.empty());
    auto rejections = prepare_slot(slot, configs);
    auto& all = slot.shared() ? shared_rejections : local_rejections;
    all.insert(all.end(), rejections.begin(), rejections.end());
  }
  if (all_ranks_prepare) {
    sync::Header header;
    header.set(sync::Field::stage, text_digest("prepare"));
    header.set(sync::Field::region, text_digest(context_.region()));
    header.set(sync::Field::plan, plan_digest_);
    header.raise(sync::Flag::rejections, !shared_rejections.empty());
    const sync::Agreement agreement = exchange_.agree(header);
    if (agreement.elsewhere() || agreement.differs(sync::Field::plan) ||
        agreement.differs(sync::Field::region)) {
      throw_mismatch(agreement, batch);
    }
    if (agreement.raised(sync::Flag::rejections)) {
      shared_rejections = gather_rejections(std::move(shared_rejections));
    }
  }
  apply_rejections(true, shared_rejections, batch);
  apply_rejections(false, local_rejections, batch);
  if (!shared_rejections.empty()) {
    shared_.observe({{}, shared_rejections});
  }
  if (!local_rejections.empty()) {
    local_.observe({{}, local_rejections});
  }
  throw_if_failed(true);
  if (device_failure_ && !batch.failure) {
    batch.failure = device_failure_;  // told by the exchange after the batch
    batch.cause = text_of(device_failure_);
  }
  keep_local_failure(batch);  // reported by the exchange after the batch, where the other ranks wait
  return device_failure_ || (shared_rejections.empty() && (local_rejections.empty() || batch.failure));
}

}  // namespace contextual::autotuner
