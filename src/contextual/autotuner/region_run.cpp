#include "contextual/autotuner/region_run.hpp"

#include "contextual/autotuner/blocked_rank.hpp"
#include "contextual/autotuner/joining.hpp"

#include <contextual/detail/stable_hash.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <utility>

namespace contextual::autotuner {

using detail::ProblemSlot;
using policy::ProblemStatus;

std::uint64_t text_digest(std::string_view text) {
  return detail::StableHash().add(text).value();
}

namespace {

/// A rank's own problems are chosen by their own time: their finals would disturb the other ranks'
/// neighbours.
policy::PolicyOptions local_policy(policy::PolicyOptions policy) {
  policy.finals = false;
  return policy;
}

std::unique_ptr<Timer> make_timer(const ResolvedOptions& options) {
  auto timer = options.timer();
  if (timer == nullptr) {
    throw InvalidArgument(
        "the timer factory of option `timer` returned null: it must make a timer for every run");
  }
  return timer;
}

/// Counts launches that reached tunable kernels from threads without the region's context.
class UnguardedLaunches {
 public:
  UnguardedLaunches() {
    for (auto& kernel : LaunchRegistry::instance().kernels()) {
      const std::uint64_t before = kernel->unguarded_launches().load(std::memory_order_relaxed);
      before_.emplace_back(std::move(kernel), before);
    }
  }
  void warn(Recorder& recorder) const {
    for (const auto& [kernel, before] : before_) {
      const std::uint64_t count = kernel->unguarded_launches().load(std::memory_order_relaxed) - before;
      if (count > 0) {
        recorder.warning(
            std::to_string(count) + " launches of kernel \"" + kernel->traits().name +
            "\" came from threads without a region's context while this run was active; they were not " +
            "tuned. If they belong to the region, give its worker threads a ContextGuard");
      }
    }
  }

 private:
  std::vector<std::pair<std::shared_ptr<detail::KernelCore>, std::uint64_t>> before_;
};

}  // namespace

RegionRun::RegionRun(const ResolvedOptions& options, std::string region, std::uint32_t region_id,
                     sync::Exchange& exchange, Recorder& recorder)
    : options_(options),
      exchange_(exchange),
      recorder_(recorder),
      timer_(make_timer(options)),
      context_(std::move(region), region_id, *timer_, options.max_problems, options.always_tune),
      watchdog_(std::in_place, options.deadline, options.grace,
                [this](const Watchdog::Place& place, std::chrono::nanoseconds blocked_for) {
                  return blocked_actions(options_, context_, recorder_, place, blocked_for);
                }),
      shared_(options.policy),
      local_(local_policy(options.policy)),
      runner_(context_, options, *watchdog_) {}

RegionRun::~RegionRun() = default;

void RegionRun::execute(const std::function<void()>& region) {
  const UnguardedLaunches unguarded;
  bool last_was_final = false;
  preload();
  while (first_batch_ || !finished()) {
    Batch batch = plan_batch();
    phase_ = batch.phases.front();
    if (!prepare(batch)) {
      continue;  // something was rejected on all ranks: plan again
    }
    if (!batch.failure) {
      runner_.run(batch, region);
    }
    try {
      agree(batch);
    } catch (...) {
      agreed_ = {};
      recorder_.batch(batch, problems(), agreed_);  // what this rank saw of it
      tell_notes(batch);
      rethrow(batch);
    }
    const bool nothing_to_tune = first_batch_ && finished();
    if (nothing_to_tune) {
      batch.phases.front() =
          policy::Phase::final_run;  // everything was locked in already: this was the final run
      last_was_final = true;
    }
    recorder_.batch(batch, problems(), agreed_);
    tell_notes(batch);
    recorder_.contests(shared_.contests(), problems());
    throw_if_failed(true);
    if (first_batch_) {
      warn_of_loading();
    }
    lock_in_finished();
    iterations_ += static_cast<std::int64_t>(batch.length);
    first_batch_ = false;
    const auto open = std::count_if(context_.slots().begin(), context_.slots().end(),
                                    [](const ProblemSlot& slot) { return !slot.published_choice; });
    recorder_.progress(shared_, std::string(phase_name(batch.phases.front())),
                       static_cast<std::size_t>(open));
  }
  if (!last_was_final) {
    final_run(region);
  }
  unguarded.warn(recorder_);
  if (context_.untracked_launches() > 0) {
    recorder_.warning(std::to_string(context_.untracked_launches()) +
                      " launches had keys beyond max_problems = " + std::to_string(options_.max_problems) +
                      " and used their defaults: make keys coarser, or raise the option");
  }
}

bool RegionRun::finished() const {
  return shared_.done() && !local_open_anywhere_;
}

Batch RegionRun::plan_batch() {
  const policy::PolicyOptions& policy = options_.policy;
  shared_.hold_finals(local_open_anywhere_);
  Batch batch;
  batch.first_iteration = iterations_;
  const int config_length = policy.settle_every > 0 ? policy.settle_every : policy.n_warmup + policy.n_repeat;
  batch.length = first_batch_     ? 1  // nothing is known yet
                 : shared_.done() ? static_cast<std::size_t>(config_length)
                                  : shared_.suggested_length();
  const auto shared_plan = shared_.plan(batch.length);
  const auto local_plan = local_.plan(batch.length);
  detail::StableHash digest;
  for (std::size_t i = 0; i < batch.length; ++i) {
    batch.phases.push_back(shared_plan[i].phase == policy::Phase::final_run ? policy::Phase::walk
                                                                            : shared_plan[i].phase);
    for (const policy::Cell& cell : shared_plan[i].cells) {
      digest.add(static_cast<std::uint64_t>(cell.role)).add(cell.config_id);
    }
  }
  plan_digest_ = digest.value();
  for (ProblemSlot& slot : context_.slots()) {
    if (slot.state_index) {
      slot.cells.clear();
      for (const policy::IterationPlan& plan : slot.shared() ? shared_plan : local_plan) {
        slot.cells.push_back(plan.cells[*slot.state_index]);
      }
      slot.best_so_far = (slot.shared() ? shared_ : local_).best_so_far(*slot.state_index);
    }
  }
  context_.rebuild_map();
  return batch;
}

void RegionRun::lock_in_finished() {
  for (ProblemSlot& slot : context_.slots()) {
    const policy::ProblemRecord* record = record_of(slot);
    if (record == nullptr || slot.published_choice == record->choice ||
        (record->status != ProblemStatus::locked_in && record->status != ProblemStatus::incomplete)) {
      continue;
    }
    for (const auto& member : slot.members) {
      member->table()->lock_in(context_.region_id(), slot.key, static_cast<int>(record->choice));
    }
    slot.published_choice = record->choice;
    recorder_.choice({&slot, record});
  }
}

void RegionRun::final_run(const std::function<void()>& region) {
  for (ProblemSlot& slot : context_.slots()) {
    const policy::ProblemRecord* record = record_of(slot);
    slot.cells.clear();
    if (record != nullptr) {
      slot.cells.push_back({policy::Cell::Role::best, record->choice, 0, false});
    }
  }
  context_.rebuild_map();
  Batch batch;
  batch.first_iteration = iterations_;
  batch.phases = {policy::Phase::final_run};
  const std::size_t known = context_.slots().size();
  phase_ = policy::Phase::final_run;
  runner_.run(batch, region);
  agreed_ = {};
  try {
    agree_final(batch);
  } catch (...) {
    recorder_.batch(batch, problems(), agreed_);
    rethrow(batch);
  }
  recorder_.batch(batch, problems(), agreed_);
  tell_notes(batch);
  if (context_.slots().size() > known) {
    recorder_.warning("the final run launched " + std::to_string(context_.slots().size() - known) +
                      " new kernels or keys, with their defaults; the next run tunes them");
  }
  for (ProblemSlot& slot : context_.slots()) {
    for (const detail::LocalRejection& rejection : slot.rejections) {
      recorder_.warning("kernel \"" + slot.name + "\", key " + slot.key_text + ": config-" +
                        std::to_string(rejection.config_id) +
                        " failed in the final run: " + rejection.reason);
    }
  }
  recorder_.progress(shared_, "final", 0);
}

std::vector<ProblemView> RegionRun::problems() const {
  std::vector<ProblemView> views;
  for (const ProblemSlot& slot : const_cast<detail::RunContext&>(context_).slots()) {
    views.push_back({&slot, record_of(slot)});
  }
  return views;
}

std::vector<ProblemSlot*> RegionRun::slots_of(bool shared) {
  std::vector<ProblemSlot*> slots;
  for (ProblemSlot& slot : context_.slots()) {
    if (slot.state_index && slot.shared() == shared) {
      slots.push_back(&slot);
    }
  }
  std::sort(slots.begin(), slots.end(),
            [](const auto* a, const auto* b) { return *a->state_index < *b->state_index; });
  return slots;
}

const policy::ProblemRecord* RegionRun::record_of(const ProblemSlot& slot) const {
  if (!slot.state_index) {
    return nullptr;
  }
  return &(slot.shared() ? shared_ : local_).problem(*slot.state_index);
}

}  // namespace contextual::autotuner
