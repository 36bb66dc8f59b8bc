#include "contextual/tuning/preparation.hpp"

#include <contextual/detail/tuning/load_notes.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

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

}  // namespace

void Preparation::load_defaults() {
  for (const auto& kernel : LaunchRegistry::instance().kernels()) {
    if (kernel->alive() && kernel->traits().load) {
      const std::string& name = kernel->traits().name;
      const Watchdog::Section section(watch_, {Activity::prepare, Phase::walk, 0});
      const detail::LoadNotes notes;
      context_.made_ready().load_first(*kernel);
      tried_ = tried_ || notes.tried();
      for (const std::string& text : notes.texts()) {
        const std::size_t loaded = kernel->first_config();
        on_defaults_[name].push_back({{name, "", loaded, kernel->space().configs.at(loaded)}, text});
      }
    }
  }
}

void Preparation::keep_chosen() noexcept {
  for (ProblemSlot& slot : context_.slots()) {
    const policy::ProblemRecord* const record = tried_ ? problems_.record_of(slot) : nullptr;
    const bool chosen = record != nullptr && (record->status == policy::ProblemStatus::locked_in ||
                                              record->status == policy::ProblemStatus::provisional);
    for (const auto& member : slot.found.members) {
      if (chosen && member->alive()) {
        try {
          const Watchdog::Section section(watch_,
                                          {Activity::prepare, Phase::final_run, context_.tuning_iteration});
          context_.made_ready().load(*member, record->choice, &slot.problem.key, slot.problem.key_text);
        } catch (...) {
          continue;  // it could be loaded before
        }
      }
    }
  }
}

void Preparation::fix_views(const BatchPlan& plan) {
  detail::BatchView view;  // outside of the loop, because most problems keep theirs
  for (ProblemSlot& slot : context_.slots()) {
    if (const auto index = problems_.index_of(slot)) {
      view.cells.clear();
      for (const policy::IterationPlan& iteration : plan.iterations) {
        view.cells.push_back(iteration.cells[*index]);
      }
      view.best_so_far = problems_.state().best_so_far(*index);
      view.prepared = slot.found.needs_loading ? prepared(slot).here : std::vector<bool>();
      if (view != slot.batch) {
        context_.set_view(slot, view);
      }
    }
  }
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
  bool late = false;
  std::vector<DueConfig> due;  // what no rank has prepared yet: alike on all ranks, as the plan is
  for (ProblemSlot* const slot : problems_.slots()) {
    for (const std::size_t id : needed(*slot)) {
      if (!prepared(*slot).anywhere[id]) {
        due.push_back({slot, id});
      } else if (!prepared(*slot).here[id] && !slot->found.members.empty()) {
        late = true;
        prepare_late({slot, id}, plan);
      }
    }
  }
  result.more = continuation_.about_to_load(due);
  for (const DueConfig& config : due) {
    if (const std::string reason = prepare_here(config, plan); !reason.empty()) {
      result.rejections.push_back({*problems_.index_of(*config.slot), config.config_id, 0, reason});
    }
  }
  result.everywhere = !due.empty();
  result.device_failure = device_failure_;
  result.remarks = std::exchange(remarks_, {});
  add_remarks_on_defaults(result.remarks);
  if (late || result.everywhere) {
    fix_views(plan);
  }
  return result;
}

void Preparation::add_remarks_on_defaults(std::vector<Remark>& remarks) {
  for (const ProblemSlot& slot : context_.slots()) {
    for (const auto& member : slot.found.members) {
      const auto found = on_defaults_.extract(member->traits().name);
      if (!found.empty()) {
        remarks.insert(remarks.end(), found.mapped().begin(), found.mapped().end());
      }
    }
  }
}

/// Others have prepared it before this rank knew the kernel.
void Preparation::prepare_late(const DueConfig& due, const BatchPlan& plan) {
  if (const std::string reason = prepare_here(due, plan); !reason.empty()) {
    detail::ProblemSlot& slot = *due.slot;
    slot.launched.rejected[due.config_id].store(true, std::memory_order_release);
    slot.launched.rejections.push_back({due.config_id, 0, reason});
  }
}

std::string Preparation::prepare_here(const DueConfig& due, const BatchPlan& plan) {
  const ProblemSlot& slot = *due.slot;
  prepared(slot).anywhere[due.config_id] = true;
  prepared(slot).here[due.config_id] = !slot.found.members.empty();
  std::string reason = continuation_.quarantine_of(due);
  for (const auto& member : slot.found.members) {
    if (!member->traits().load || !member->alive() || !reason.empty()) {
      continue;
    }
    try {
      const Watchdog::Section section(watch_, {Activity::prepare, plan.phase(), context_.tuning_iteration});
      const detail::LoadNotes notes;
      reason = context_.made_ready().load(*member, due.config_id, &slot.problem.key, slot.problem.key_text);
      tried_ = tried_ || notes.tried();
      for (const std::string& text : reason.empty() ? notes.texts() : std::vector<std::string>()) {
        remarks_.push_back({{member->traits().name, slot.problem.key_text, due.config_id,
                             member->space().configs.at(due.config_id)},
                            text});
      }
    } catch (const DeviceError&) {
      device_failure_ = std::current_exception();  // no config is to blame
    }
  }
  return reason;
}

}  // namespace contextual::tuning
