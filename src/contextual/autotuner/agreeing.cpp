/// \file
/// RegionRun: the exchange after a batch. First the header, then, if all is well, the payload; details only
/// when the header asks for them.

#include "contextual/autotuner/details_text.hpp"
#include "contextual/autotuner/joining.hpp"
#include "contextual/autotuner/launch_signature.hpp"
#include "contextual/autotuner/region_run.hpp"

#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace contextual::autotuner {

using detail::ProblemSlot;
using nlohmann::json;
using policy::ProblemStatus;
using policy::RejectionOutcome;
using sync::Field;
using sync::Flag;

namespace {

// MAX keeps the worst of what the ranks say. Times of ranks whose times count carry a bit that puts them
// above those of the others, which so have a say only where no rank whose times count has one.
constexpr std::int64_t not_launched = -1;
constexpr std::int64_t launched = 0;
constexpr std::int64_t counts = std::int64_t{1} << 62;  // 146 years in nanoseconds
constexpr std::int64_t disturbed =
    std::numeric_limits<std::int64_t>::max();  // in a makespan's place: no time counts
constexpr std::int64_t no_time = disturbed - 1;

std::int64_t word_of(std::optional<std::int64_t> time_ns, bool times_count) {
  if (!times_count) {
    return std::min(time_ns.value_or(launched), counts - 1);
  }
  return time_ns && *time_ns < counts - 1 ? *time_ns | counts : no_time;
}

std::optional<std::int64_t> time_of(std::int64_t word) {
  const std::int64_t time_ns = word & ~counts;
  return word > 0 && word < no_time && time_ns > 0 ? std::optional(time_ns) : std::nullopt;
}

}  // namespace

void RegionRun::agree(Batch& batch) {
  check_coupled_members(batch);
  if (!batch.failure) {
    observe_local(batch);
  }
  std::vector<ProblemSlot*> joining = newly_seen(context_, true);
  agree_header(batch, joining);
  join(shared_, joining);
  batch.cells.resize(context_.slots().size(), std::vector<LocalCell>(batch.length));
  for (const ProblemSlot* slot : joining) {
    for (LocalCell& cell : batch.cells[slot->index]) {
      if (!slot->locked_config && cell.config_id != 0) {
        cell.time_ns.reset();  // it was locked in on this rank only, so what it used is not what is observed
      }
    }
  }
  observe_shared(batch);
}

void RegionRun::check_coupled_members(Batch& batch) {
  for (const ProblemSlot& slot : context_.slots()) {
    if (slot.state_index || slot.coupling.empty() || slot.members.empty() || batch.failure) {
      continue;
    }
    for (const auto& registered : LaunchRegistry::instance().coupled(slot.coupling)) {
      const bool seen = std::any_of(slot.members.begin(), slot.members.end(),
                                    [&](const auto& member) { return member.get() == registered.get(); });
      if (!seen) {
        batch.cause = "region \"" + context_.region() + "\": kernel \"" + registered->traits().name +
                      "\" is coupled as \"" + slot.coupling + "\" but was not launched with key " +
                      slot.key_text +
                      ": coupled kernels are launched in the same runs of the region and compute equal keys";
        batch.failure = std::make_exception_ptr(InvalidArgument(batch.cause));
        return;
      }
    }
  }
}

void RegionRun::agree_header(const Batch& batch, std::vector<ProblemSlot*>& joining) {
  sync::Header header;
  header.set(Field::stage, text_digest("batch"));
  header.set(Field::region, text_digest(context_.region()));
  header.set(Field::plan, plan_digest_);
  header.set(Field::launches, launch_digest(context_));
  header.set(Field::problems, problems_digest(joining));
  header.raise(Flag::region_threw, batch.failure && !batch.tuning_failed);
  header.raise(Flag::tuning_failed, batch.tuning_failed);
  header.raise(Flag::local_open, !local_.done() && local_.problem_count() > 0);
  for (const ProblemSlot& slot : context_.slots()) {
    header.raise(Flag::rejections, slot.shared() && !slot.rejections.empty());
  }
  const sync::Agreement agreement = exchange_.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region)) {
    throw_mismatch(agreement, batch);
  }
  if (agreement.raised(Flag::region_threw)) {
    throw_failures(batch);
  }
  if (agreement.raised(Flag::tuning_failed)) {
    throw_tuning_failed(batch);
  }
  if (agreement.differs(Field::plan) || agreement.differs(Field::launches)) {
    throw_mismatch(agreement, batch);
  }
  if (agreement.differs(Field::problems)) {
    joining = unite(context_, joining, exchange_.gather(problem_details(joining)));
  }
  local_open_anywhere_ = agreement.raised(Flag::local_open);
  rejections_anywhere_ = agreement.raised(Flag::rejections);
}

void RegionRun::agree_final(const Batch& batch) {
  sync::Header header;
  header.set(Field::stage, text_digest("final"));
  header.set(Field::region, text_digest(context_.region()));
  header.set(Field::launches, launch_digest(context_));
  header.raise(Flag::region_threw, batch.failure != nullptr);
  const sync::Agreement agreement = exchange_.agree(header);
  if (agreement.elsewhere() || agreement.differs(Field::region)) {
    throw_mismatch(agreement, batch);
  }
  if (agreement.raised(Flag::region_threw)) {
    throw_failures(batch);
  }
  if (agreement.differs(Field::launches)) {
    throw_mismatch(agreement, batch);
  }
}

void RegionRun::join(policy::TuningState& state, const std::vector<ProblemSlot*>& problems) {
  for (ProblemSlot* slot : problems) {
    slot->state_index = state.add_problem({slot->config_count, slot->pruned, slot->locked_config});
    slot->published_choice = slot->locked_config;
  }
}

void RegionRun::observe_local(Batch& batch) {
  join(local_, newly_seen(context_, false));
  policy::BatchOutcome outcome;
  outcome.rejections = local_rejections(false);
  const std::vector<ProblemSlot*> slots = slots_of(false);
  for (std::size_t i = 0; i < batch.length; ++i) {
    policy::IterationOutcome& iteration = outcome.iterations.emplace_back();
    iteration.makespan_ns = batch.makespans_ns[i];
    for (const ProblemSlot* slot : slots) {
      const LocalCell& cell = batch.cells[slot->index][i];
      iteration.cells.push_back({cell.launched, cell.time_ns, !batch.conditions.disturbance.empty()});
    }
  }
  apply_rejections(false, outcome.rejections, batch);
  local_.observe(outcome);
  keep_local_failure(batch);
}

void RegionRun::observe_shared(Batch& batch) {
  const std::vector<ProblemSlot*> slots = slots_of(true);
  std::vector<std::int64_t> words;
  words.reserve((slots.size() + 1) * batch.length);
  for (std::size_t i = 0; i < batch.length; ++i) {
    const bool out = !batch.conditions.disturbance.empty() && options_.times_count;
    words.push_back(out ? disturbed : word_of(batch.makespans_ns[i], options_.times_count));
    for (const ProblemSlot* slot : slots) {
      const LocalCell& cell = batch.cells[slot->index][i];
      words.push_back(cell.launched ? word_of(cell.time_ns, options_.times_count) : not_launched);
    }
  }
  exchange_.max(words);
  policy::BatchOutcome outcome;
  if (rejections_anywhere_) {
    outcome.rejections = gather_rejections(local_rejections(true));
  }
  agreed_.makespan_ns.assign(batch.length, std::nullopt);
  agreed_.time_ns.assign(context_.slots().size(), std::vector<std::optional<std::int64_t>>(batch.length));
  for (std::size_t i = 0; i < batch.length; ++i) {
    const std::int64_t* row = &words[i * (slots.size() + 1)];
    policy::IterationOutcome& iteration = outcome.iterations.emplace_back();
    iteration.makespan_ns = agreed_.makespan_ns[i] = time_of(row[0]);
    for (std::size_t p = 0; p < slots.size(); ++p) {
      const bool out = row[0] == disturbed;
      const auto time_ns = out ? std::nullopt : time_of(row[p + 1]);
      iteration.cells.push_back({row[p + 1] != not_launched, time_ns, out});
      agreed_.time_ns[slots[p]->index][i] = time_ns;
    }
  }
  for (const ProblemSlot* slot : slots_of(false)) {
    const std::size_t index = slot->index;
    for (std::size_t i = 0; i < batch.length; ++i) {
      agreed_.time_ns[index][i] = batch.cells[index][i].time_ns;
    }
  }
  apply_rejections(true, outcome.rejections, batch);
  shared_.observe(outcome);
}

std::vector<RejectionOutcome> RegionRun::local_rejections(bool shared) {
  std::vector<RejectionOutcome> rejections;
  for (ProblemSlot& slot : context_.slots()) {
    if (slot.state_index && slot.shared() == shared) {
      const std::lock_guard lock(slot.mutex);
      for (const detail::LocalRejection& rejection : slot.rejections) {
        rejections.push_back(
            {*slot.state_index, rejection.config_id, rejection.batch_iteration, rejection.reason});
      }
    }
  }
  return rejections;
}

std::vector<RejectionOutcome> RegionRun::gather_rejections(std::vector<RejectionOutcome> own) {
  json list = json::array();
  for (const RejectionOutcome& rejection : own) {
    list.push_back({rejection.problem, rejection.config_id, rejection.batch_iteration, rejection.reason});
  }
  const auto all = exchange_.gather(details_text(list));
  std::map<std::pair<std::size_t, std::size_t>, RejectionOutcome> merged;  // ordered: equal on all ranks
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string prefix = all.size() > 1 ? "rank " + std::to_string(rank) + ": " : "";
    for (const json& entry : json::parse(all[rank])) {
      RejectionOutcome rejection{entry[0], entry[1], entry[2], prefix + entry[3].get<std::string>()};
      const auto [place, added] = merged.try_emplace({rejection.problem, rejection.config_id}, rejection);
      if (!added) {
        place->second.batch_iteration = std::min(place->second.batch_iteration, rejection.batch_iteration);
        place->second.reason += "; " + rejection.reason;
      }
    }
  }
  std::vector<RejectionOutcome> rejections;
  rejections.reserve(merged.size());
  for (auto& [id, rejection] : merged) {
    rejections.push_back(std::move(rejection));
  }
  return rejections;
}

void RegionRun::apply_rejections(bool shared, const std::vector<RejectionOutcome>& rejections,
                                 const Batch& batch) {
  const std::vector<ProblemSlot*> slots = slots_of(shared);
  for (const RejectionOutcome& rejection : rejections) {
    slots[rejection.problem]->rejected[rejection.config_id].store(true, std::memory_order_release);
    recorder_.rejected(*slots[rejection.problem], rejection.config_id, rejection.reason, batch);
  }
}

}  // namespace contextual::autotuner
