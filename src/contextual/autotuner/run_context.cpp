#include "contextual/autotuner/run_context.hpp"

#include <contextual/detail/stable_hash.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <utility>

namespace contextual::detail {
namespace {

constexpr std::size_t first_records = 1024;  ///< of a batch; grows where that is too few

std::uint64_t identity_of(const std::string& name, const KernelTraits& traits, const SpaceView& space,
                          const Key& key) {
  StableHash hash;
  hash.add(std::string_view(name))
      .add(std::string_view(traits.coupling))
      .add(key.hash())
      .add(static_cast<std::uint64_t>(traits.participation));
  hash.add(space.size);
  if (traits.coupling.empty()) {
    hash.add(space.digest);  // coupled kernels share the size and order of their spaces, not the contents
  }
  return hash.value();
}

std::vector<bool> pruned_configs(const PruneView& prune, std::size_t config_count) {
  std::vector<bool> pruned(config_count, false);
  for (std::size_t id = 1; prune.prune != nullptr && id < config_count; ++id) {
    pruned[id] = prune.prune(prune.bound, id);
  }
  return pruned;
}

}  // namespace

ProblemSlot::ProblemSlot(std::size_t position, std::string problem_name, const Key& problem_key,
                         std::size_t configs)
    : index(position),
      rejected(std::make_unique<std::atomic<bool>[]>(configs)),
      prepared_here(configs, false),
      key(problem_key),
      name(std::move(problem_name)),
      config_count(configs),
      settled(configs, false),
      prepared(configs, false) {}

std::size_t LaunchMap::place_hash(const KernelCore* core, const Key& key) noexcept {
  return static_cast<std::size_t>(key.hash() ^ (reinterpret_cast<std::uintptr_t>(core) >> 4));
}

void LaunchMap::rebuild(const std::deque<ProblemSlot>& slots) {
  std::size_t places = 0;
  for (const ProblemSlot& slot : slots) {
    places += slot.members.size();
  }
  std::size_t capacity = 16;
  while (capacity < places * 2) {
    capacity *= 2;
  }
  places_.assign(capacity, Place{});
  for (const ProblemSlot& slot : slots) {
    for (const auto& member : slot.members) {
      std::size_t i = place_hash(member.get(), slot.key);
      while (places_[i & (capacity - 1)].slot != nullptr) {
        ++i;
      }
      places_[i & (capacity - 1)] = {member.get(), const_cast<ProblemSlot*>(&slot)};
    }
  }
}

[[gnu::hot]] ProblemSlot* LaunchMap::find(const KernelCore* core, const Key& key) const noexcept {
  if (places_.empty()) {
    return nullptr;
  }
  for (std::size_t i = place_hash(core, key);; ++i) {
    const Place& place = places_[i & (places_.size() - 1)];
    if (place.slot == nullptr) {
      return nullptr;
    }
    if (place.core == core && place.slot->key == key) {
      return place.slot;
    }
  }
}

RunContext::RunContext(std::string region, std::uint32_t region_id, Timer& timer, std::size_t max_problems,
                       bool always_tune)
    : region_(std::move(region)),
      region_id_(region_id),
      timer_(timer),
      max_problems_(max_problems),
      always_tune_(always_tune) {
  ThreadLog& own = threads_.emplace_back(*this, LaunchOrder::same);
  own.records.resize(first_records);  // touched now, not inside launches
  own.records.clear();
}

ThreadLog& RunContext::add_thread(LaunchOrder order) {
  const std::lock_guard lock(mutex_);
  return threads_.emplace_back(*this, order);
}

[[gnu::hot]] ProblemSlot* RunContext::find(const KernelCore& core, const Key& key, const PruneView& prune) {
  if (ProblemSlot* slot = map_.find(&core, key)) [[likely]] {
    return slot;
  }
  return discover(core, key, prune);
}

[[gnu::cold]] ProblemSlot* RunContext::discover(const KernelCore& core, const Key& key,
                                                const PruneView& prune) {
  const KernelTraits& traits = core.traits();
  const SpaceView& space = core.space();  // may throw: before the lock
  const std::string& name = traits.coupling.empty() ? traits.name : traits.coupling;
  const std::uint64_t identity = identity_of(name, traits, space, key);
  {
    const std::lock_guard lock(mutex_);
    ProblemSlot* slot = find_listed(name, traits.coupling, key, identity);
    if (slot != nullptr && is_member(*slot, core)) {
      return slot;
    }
    if (slot == nullptr && slots_.size() >= max_problems_) {
      untracked_launches_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
  }
  const std::vector<bool> pruned = pruned_configs(prune, space.size);  // the user's code: without the lock
  const std::lock_guard lock(mutex_);
  check_namesakes(core);
  ProblemSlot* slot = find_listed(name, traits.coupling, key, identity);
  if (slot == nullptr) {
    slot = &slots_.emplace_back(slots_.size(), name, key, space.size);
    slot->coupling = traits.coupling;
    slot->participation = traits.participation;
    slot->space_digest = space.digest;
    slot->pruned.assign(space.size, false);
    slot->identity = identity;
  }
  join_member(*slot, core, key, pruned);
  return slot;
}

ProblemSlot* RunContext::find_listed(const std::string& name, const std::string& coupling, const Key& key,
                                     std::uint64_t identity) {
  for (ProblemSlot& slot : slots_) {
    const bool only_remote = slot.members.empty() && slot.identity == identity;
    if (only_remote || (slot.name == name && slot.key == key && slot.coupling == coupling)) {
      return &slot;
    }
  }
  return nullptr;
}

bool RunContext::is_member(const ProblemSlot& slot, const KernelCore& core) {
  return std::any_of(slot.members.begin(), slot.members.end(),
                     [&](const auto& member) { return member.get() == &core; });
}

void RunContext::check_namesakes(const KernelCore& core) const {
  for (const ProblemSlot& slot : slots_) {
    for (const auto& member : slot.members) {
      if (member.get() != &core && member->alive() && member->traits().name == core.traits().name) {
        throw InvalidArgument("region \"" + region_ + "\" launches two living kernels named \"" +
                              core.traits().name + "\": give each a name of its own");
      }
    }
  }
}

void RunContext::join_member(ProblemSlot& slot, const KernelCore& core, const Key& key,
                             const std::vector<bool>& pruned) {
  if (is_member(slot, core)) {
    return;
  }
  const SpaceView& space = core.space();
  if (space.size != slot.config_count || (slot.coupling.empty() && space.digest != slot.space_digest)) {
    throw InvalidArgument(
        "region \"" + region_ + "\": kernel \"" + core.traits().name + "\" has " +
        std::to_string(space.size) + " configs where " +
        (slot.coupling.empty() ? "its namesake" : "the coupling \"" + slot.coupling + "\"") + " has " +
        std::to_string(slot.config_count) +
        ": kernels of one tuning problem need config spaces of equal size and order");
  }
  const auto namesake = std::find_if(slot.members.begin(), slot.members.end(), [&](const auto& member) {
    return member->traits().name == core.traits().name;
  });
  if (namesake != slot.members.end()) {
    // The kernel was destroyed and made anew, e.g. as a local of the region. The map still names the old
    // one, which is kept until the map is rebuilt; until then launches of the new one come this way.
    retired_.push_back(std::move(*namesake));
    *namesake = core.shared_from_this();
    return;
  }
  if (slot.members.empty()) {
    slot.key = key;
    slot.key_text = core.key_text(key);
    if (!always_tune_ && !slot.state_index) {
      const int locked = core.table()->find(region_id_, key);
      slot.locked_config = locked == LockInTable::none ? std::nullopt : std::optional<std::size_t>(locked);
    }
  }
  if (!slot.members.empty() &&
      core.table()->find(region_id_, key) != static_cast<int>(slot.locked_config.value_or(-1))) {
    slot.locked_config.reset();  // coupled kernels are locked in together or not at all
  }
  slot.members.push_back(core.shared_from_this());
  if (!slot.state_index) {
    slot.has_prepare = slot.has_prepare || core.traits().prepare;
    for (std::size_t id = 0; id < pruned.size(); ++id) {
      slot.pruned[id] = slot.pruned[id] || pruned[id];
    }
  }
}

std::optional<CurrentLaunch> RunContext::current_launch() {
  const std::lock_guard lock(mutex_);
  std::uint64_t word = threads_.front().current.load(std::memory_order_acquire);
  for (const ThreadLog& log : threads_) {
    if (const std::uint64_t other = log.current.load(std::memory_order_acquire); other & launch_under_way) {
      word = other;
      break;
    }
  }
  const auto index = static_cast<std::size_t>(word >> 32);
  const auto config_id = static_cast<std::size_t>((word & 0xffffffffU) >> 1);
  if (word == 0 || index > slots_.size() || slots_[index - 1].members.empty()) {
    return std::nullopt;
  }
  const ProblemSlot& slot = slots_[index - 1];
  const SpaceView& space = slot.members.front()->space();
  if (config_id >= space.configs.size()) {
    return std::nullopt;
  }
  return CurrentLaunch{slot.name, slot.key_text, config_id, space.configs[config_id],
                       (word & launch_under_way) != 0};
}

void RunContext::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) {
    failure_ = std::move(failure);
  }
}

std::exception_ptr RunContext::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void RunContext::note(const std::string& warning) {
  const std::lock_guard lock(mutex_);
  if (std::find(notes_.begin(), notes_.end(), warning) == notes_.end()) {
    notes_.push_back(warning);
  }
}

std::vector<std::string> RunContext::take_notes() {
  const std::lock_guard lock(mutex_);
  const std::size_t taken = std::exchange(notes_taken_, notes_.size());
  return {notes_.begin() + static_cast<std::ptrdiff_t>(taken), notes_.end()};
}

void RunContext::rebuild_map() {
  map_.rebuild(slots_);
  retired_.clear();
}

void RunContext::begin_batch() {
  const std::lock_guard lock(mutex_);
  while (threads_.size() > 1) {
    threads_.pop_back();  // workers come anew with every run of the region
  }
  threads_.front().records.clear();
  for (ProblemSlot& slot : slots_) {
    slot.rejections = std::exchange(slot.late_rejections, {});
  }
}

ProblemSlot& RunContext::add_remote(std::string name, std::size_t config_count) {
  const std::lock_guard lock(mutex_);
  return slots_.emplace_back(slots_.size(), std::move(name), Key{}, config_count);
}

}  // namespace contextual::detail
