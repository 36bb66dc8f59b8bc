#include "contextual/launch/run_context.hpp"

#include "contextual/config/key_part_texts.hpp"
#include "contextual/launch/kernel_pins.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/alternative_scope.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace contextual::detail {
namespace {

constexpr std::size_t first_records = 1024;  ///< of a batch; grows where that is too few

enum class Role { kernel, choice_point };

std::uint64_t identity_of(const std::string& name, const KernelTraits& traits, const SpaceView& space,
                          const Key& key, std::uint64_t scope, Role role) {
  StableHash hash;
  hash.add(scope).add(std::uint64_t{role == Role::choice_point});
  hash.add(std::string_view(name))
      .add(std::string_view(traits.coupling))
      .add(key.hash())
      .add(static_cast<std::uint64_t>(traits.participation));
  hash.add(space.size).add(space.refinement_count);
  if (traits.coupling.empty()) {
    hash.add(space.digest);  // coupled kernels share the size and order of their spaces, not the contents
  }
  return hash.value();
}

/// What `keep` does not allow for the launch whose arguments are bound.
std::vector<bool> refused_configs(const KernelCore& core, const LaunchArguments& arguments) {
  std::vector<bool> refused(core.space().size, false);
  for (std::size_t id = 0; arguments.asks_keep() && id < refused.size(); ++id) {
    refused[id] = !arguments.keep(id);
  }
  return refused;
}

/// What is not a candidate for a problem's first launch, or has been chosen in vain before.
std::vector<bool> left_out_configs(const KernelCore& core, const Key& key, std::uint32_t region,
                                   std::uint64_t scope, const LaunchArguments& arguments) {
  const LockInTable& table = *core.table();
  const std::set<int> refused_before = table.refused(region, key, scope);
  std::vector<bool> left_out = refused_configs(core, arguments);
  for (std::size_t id = 0; id < left_out.size(); ++id) {
    if (!left_out[id] && arguments.engine != nullptr) {
      arguments.engine->meet(id, arguments.addresses);
    }
    const int config_id = static_cast<int>(id);
    left_out[id] = left_out[id] || refused_before.contains(config_id) ||
                   !table.why_ruled_out({key, scope, config_id}).empty();
  }
  return left_out;
}

/// What the text of a key says of the alternative around the launch: " in gemm {M: 64}: separate", or of a
/// function's config.
std::string text_of(const LaunchingAlternative& alternative) {
  const ProblemSlot& slot = *alternative.choice_point;
  const KernelCore& core = *slot.found.members.front();
  const Config& config = core.space().configs[alternative.config_id];
  return " in " + slot.problem.name + " " + slot.problem.key_text + ": " +
         (core.traits().function ? config.to_string() : config.get<std::string>(alternative_parameter));
}

}  // namespace

std::vector<KeyWord> LaunchArguments::words_of(const Key& key) const {
  if (!key.is_digest() || engine == nullptr) {
    return detail::words_of(key);
  }
  constexpr std::size_t most_words = 4096;  // a text of more helps nobody
  const DigestedWords digested;
  static_cast<void>(engine->key(addresses));
  const std::vector<KeyWord> words = digested.words_of(key);
  return words.size() <= most_words ? words : detail::words_of(key);
}

RunContext::RunContext(std::string region, std::uint32_t region_id, Timer& timer, Reuse reuse,
                       Namesakes namesakes)
    : region_(std::move(region)),
      region_id_(region_id),
      timer_(&timer),
      reuse_(reuse),
      namesakes_(namesakes) {
  ThreadLog& own = threads_.emplace_back(*this, LaunchOrder::same);
  own.records.resize(first_records);  // touched now, not inside launches
  own.records.clear();
}

ThreadLog& RunContext::add_thread(LaunchOrder order) {
  const std::lock_guard lock(mutex_);
  return threads_.emplace_back(*this, order);
}

[[gnu::hot]] ProblemSlot* RunContext::find(const KernelCore& core, const Key& key,
                                           const LaunchArguments& arguments) {
  if (ProblemSlot* slot = map_.find(core, key, thread_state().scope)) [[likely]] {
    return slot;
  }
  return discover(core, key, arguments);
}

[[gnu::cold]] ProblemSlot* RunContext::discover(const KernelCore& core, const Key& key,
                                                const LaunchArguments& arguments) {
  const KernelTraits& traits = core.traits();
  const SpaceView& space = core.space();  // may throw: before the lock
  const std::string& name = traits.coupling.empty() ? traits.name : traits.coupling;
  const std::uint64_t scope = thread_state().scope;
  const ProblemName problem{name, traits.coupling, key, scope};
  if (full_.load(std::memory_order_acquire) && index_.find(problem) == nullptr) {
    return count_untracked();  // without the lock: nothing is added to the index any more
  }
  bool words_known = false;
  bool met = false;
  {
    const std::lock_guard lock(mutex_);
    ProblemSlot* const slot = fresh_.find(core, key, scope);
    met = slot != nullptr;
    if (met && !arguments.asks_keep()) {
      return slot;
    }
    const ProblemSlot* const known = index_.find(problem);
    if (full_ && known == nullptr) {
      return count_untracked();
    }
    words_known = known != nullptr && !known->found.key_words.empty();
  }
  // The user's code: without the lock.
  std::vector<KeyWord> words = words_known ? std::vector<KeyWord>() : arguments.words_of(key);
  const std::vector<bool> left_out =
      met ? refused_configs(core, arguments) : left_out_configs(core, key, region_id_, scope, arguments);
  const std::lock_guard lock(mutex_);
  if (ProblemSlot* slot = fresh_.find(core, key, scope)) {
    leave_out(*slot, left_out, Seen::before);
    return slot;
  }
  check_namesakes(core);
  ProblemSlot* slot = index_.find(problem);
  if (slot == nullptr) {
    if (full_) {
      return count_untracked();
    }
    const LaunchingAlternative* in = launching(scope);
    if (in != nullptr) {
      make_choice_point(*in->choice_point);
    }
    const std::string text = key_text(words, traits.key_names) + (in == nullptr ? "" : text_of(*in));
    const Role role = traits.choice_point ? Role::choice_point : Role::kernel;
    slot = &list({traits.coupling, key, name, text, traits.participation, space.size, space.refinement_count,
                  space.digest, identity_of(name, traits, space, key, scope, role), traits.choice_point,
                  scope, in == nullptr ? 0 : in->choice_point->problem.depth + 1},
                 traits.choice_point || traits.function);
  }
  if (slot->found.key_words.empty()) {
    slot->found.key_words = std::move(words);
  }
  join_member(*slot, core, left_out);
  fresh_.add(core, *slot);
  launched_[traits.name] = core.shared_from_this();
  return slot;
}

const LaunchingAlternative* RunContext::launching(std::uint64_t word) const {
  const auto known = alternatives_.find(word);
  return known == alternatives_.end() ? nullptr : &known->second;
}

const LaunchingAlternative* RunContext::alternative(std::uint64_t word) const {
  const LaunchingAlternative* const known = launching(word);
  return known != nullptr && known->choice_point->problem.choice_point ? known : nullptr;
}

/// Under the lock. A function that launches its first kernel only after it has joined stays a kernel, and
/// what it launches is tuned beside it.
void RunContext::make_choice_point(ProblemSlot& slot) {
  Problem& problem = slot.problem;
  if (problem.choice_point || slot.joined() || slot.found.members.empty()) {
    return;
  }
  const KernelCore& core = *slot.found.members.front();
  problem.choice_point = true;
  problem.identity =
      identity_of(problem.name, core.traits(), core.space(), problem.key, problem.scope, Role::choice_point);
  note("function \"" + problem.name +
       "\" launches tunable kernels: these are tuned first, with each config "
       "of the function, and then its configs are compared, each at its best");
}

ProblemSlot* RunContext::count_untracked() noexcept {
  untracked_launches_.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

/// Under the lock.
ProblemSlot& RunContext::list(const Problem& problem, bool may_launch_others) {
  ProblemSlot& slot = slots_.emplace_back(slots_.size(), problem);
  slot.found.pinned_by = PinBook::instance().file_for(region_id_, problem);
  index_.add(slot);
  for (std::size_t id = 0; may_launch_others && id < problem.config_count; ++id) {
    alternatives_[scope_of(problem.scope, KernelCore::hash_of(problem.name), problem.key, id)] = {&slot, id};
  }
  full_.store(slots_.size() >= most_problems, std::memory_order_release);  // last: see `discover`
  return slot;
}

void RunContext::check_namesakes(const KernelCore& core) {
  if (namesakes_ == Namesakes::are_refused) {
    core.check_unambiguous();
  }
  const auto known = launched_.find(core.traits().name);
  if (known != launched_.end() && known->second.get() != &core && known->second->alive()) {
    throw InvalidArgument("region \"" + region_ + "\" launches two living kernels named \"" +
                          core.traits().name + "\": give each a name of its own");
  }
}

void RunContext::join_member(ProblemSlot& slot, const KernelCore& core, const std::vector<bool>& left_out) {
  const SpaceView& space = core.space();
  if (space.size != slot.problem.config_count || space.refinement_count != slot.problem.refinement_count ||
      (slot.problem.coupling.empty() && space.digest != slot.problem.space_digest)) {
    throw InvalidArgument("region \"" + region_ + "\": kernel \"" + core.traits().name + "\" has " +
                          std::to_string(space.size) + " configs where " +
                          (slot.problem.coupling.empty() ? "another kernel of this name"
                                                         : "the coupling \"" + slot.problem.coupling + "\"") +
                          " has " + std::to_string(slot.problem.config_count) +
                          ": kernels of one tuning problem need config spaces of equal size and order");
  }
  const auto namesake =
      std::find_if(slot.found.members.begin(), slot.found.members.end(),
                   [&](const auto& member) { return member->traits().name == core.traits().name; });
  if (namesake != slot.found.members.end()) {
    // The kernel was destroyed and made anew, e.g. as a local of the region. The map still names the old
    // one, which is kept until the map is rebuilt; until then launches of the new one come this way.
    retired_.push_back(std::move(*namesake));
    *namesake = core.shared_from_this();
    leave_out(slot, left_out, Seen::before);
    return;
  }
  if (slot.found.members.empty() && !slot.joined()) {
    slot.found.locked_config = reusable_choice(core, slot.problem);
  }
  if (!slot.found.members.empty() && reusable_choice(core, slot.problem) != slot.found.locked_config) {
    slot.found.locked_config.reset();  // coupled kernels are locked in together or not at all
  }
  slot.found.members.push_back(core.shared_from_this());
  if (!slot.joined()) {
    slot.found.needs_loading = slot.found.needs_loading || core.traits().load;
    leave_out(slot, left_out, slot.found.members.size() == 1 ? Seen::now_first : Seen::before);
  }
}

/// Under the lock. A choice of an earlier run that some launch does not allow is tuned again, unless a
/// coupled kernel has launched it by now: then the launch fails.
void RunContext::leave_out(ProblemSlot& slot, const std::vector<bool>& left_out, Seen seen) {
  Discovery& found = slot.found;
  const bool replaceable = seen == Seen::now_first || slot.problem.coupling.empty();
  for (std::size_t id = 0; id < left_out.size() && !slot.joined(); ++id) {
    found.left_out[id] = found.left_out[id] || left_out[id];
    if (left_out[id] && found.locked_config == id && found.pinned_by.empty() && replaceable) {
      found.locked_config.reset();
    }
  }
}

RunContext::FirstChoice RunContext::first_choice(const ProblemSlot& slot, std::size_t first_loaded) {
  const std::lock_guard lock(mutex_);
  if (slot.found.locked_config) {
    return {*slot.found.locked_config, true};
  }
  return {slot.found.left_out[first_loaded] ? 0 : first_loaded, false};
}

std::optional<std::size_t> RunContext::reusable_choice(const KernelCore& core, const Problem& problem) const {
  if (const int pinned = core.pinned(region_id_, problem.key, problem.scope); pinned != LockInTable::none) {
    return static_cast<std::size_t>(pinned);
  }
  const int locked = core.table()->find(region_id_, problem.key, problem.scope);
  if (locked == LockInTable::none || reuse_ == Reuse::nothing) {
    return std::nullopt;
  }
  const ChoiceFinality finality = core.table()->finality(region_id_, problem.key, problem.scope);
  const bool searched = core.table()->searched_by(region_id_, problem.key, problem.scope) >= rules_.search;
  const bool taken_over = (finality == ChoiceFinality::lasting && searched) ||
                          (finality == ChoiceFinality::kept && reuse_ == Reuse::lasting_and_kept);
  return taken_over ? std::optional<std::size_t>(locked) : std::nullopt;
}

std::optional<CurrentLaunch> RunContext::current_launch() {
  if (auto config = made_ready_.config()) {
    return config;
  }
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
  if (word == 0 || index > slots_.size() || slots_[index - 1].found.members.empty()) {
    return std::nullopt;
  }
  const ProblemSlot& slot = slots_[index - 1];
  const SpaceView& space = slot.found.members.front()->space();
  if (config_id >= space.configs.size()) {
    return std::nullopt;
  }
  return CurrentLaunch{slot.problem.name, slot.problem.key_text, config_id, space.configs[config_id],
                       (word & launch_under_way) != 0};
}

void RunContext::set_view(ProblemSlot& slot, BatchView view) {
  const std::lock_guard lock(mutex_);  // the watchdog reads it
  slot.batch = std::move(view);
}

std::vector<CurrentLaunch> RunContext::assignment() {
  const std::lock_guard lock(mutex_);
  std::vector<CurrentLaunch> assignment;
  for (const ProblemSlot& slot : slots_) {
    const std::vector<policy::Cell>& cells = slot.batch.cells;
    const bool launched_here = !slot.found.members.empty();
    if (cells.empty() && !launched_here) {
      continue;
    }
    CurrentLaunch& used = assignment.emplace_back();
    used.kernel = slot.problem.name;
    used.key = slot.problem.key_text;
    used.config_id = cells.empty()
                         ? slot.found.locked_config.value_or(slot.found.members.front()->first_config())
                         : cells[std::min<std::size_t>(batch_iteration, cells.size() - 1)].config_id;
    if (launched_here) {
      used.config = slot.found.members.front()->space().configs.at(used.config_id);
    }
  }
  return assignment;
}

std::vector<RejectedLaunch> RunContext::rejections() {
  const std::lock_guard lock(mutex_);
  std::vector<RejectedLaunch> rejected;
  for (ProblemSlot& slot : slots_) {
    const std::lock_guard lock_of_slot(slot.launched.mutex);
    for (const LocalRejection& rejection : slot.launched.rejections) {
      rejected.push_back({slot.problem.name, slot.problem.key_text,
                          slot.found.members.front()->space().configs.at(rejection.config_id), rejection});
    }
  }
  return rejected;
}

bool RunContext::is_out_of_memory(const std::exception_ptr& thrown) const {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return rules_.is_out_of_memory && rules_.is_out_of_memory(thrown);
  }
}

void RunContext::tell_of_fallback(const std::string& kernel, const std::string& rejected) {
  if (rules_.rank >= 0) {
    const std::lock_guard lock(mutex_);
    if (told_of_fallback_.insert(kernel).second) {
      warn_once("rank " + std::to_string(rules_.rank) + ", region \"" + region_ + "\": kernel \"" + kernel +
                "\", " + rejected + ", while other ranks may launch what was rejected");
    }
  }
}

void RunContext::say(const std::string& warning) {
  warn_once((rules_.rank >= 0 ? "rank " + std::to_string(rules_.rank) + ": " : "") + warning);
  said_.add(warning);
}

void RunContext::note_launcher_threw(const std::exception_ptr& thrown, const std::string& launch) {
  const std::lock_guard lock(mutex_);
  if (launcher_threw_.first != thrown) {
    launcher_threw_ = {thrown, launch};
  }
}

std::string RunContext::launch_that_threw(const std::exception_ptr& thrown) {
  const std::lock_guard lock(mutex_);
  return launcher_threw_.first == thrown ? launcher_threw_.second : "";
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

void RunContext::rebuild_map() {
  if (fresh_.empty()) {
    return;  // nothing was added since
  }
  if (retired_.empty()) {
    map_.add(fresh_);
  } else {
    map_.clear();
    for (ProblemSlot& slot : slots_) {
      for (const auto& member : slot.found.members) {
        map_.add(*member, slot);
      }
    }
  }
  fresh_.clear();
  retired_.clear();
}

void RunContext::begin_batch() {
  const std::lock_guard lock(mutex_);
  while (threads_.size() > 1) {
    threads_.pop_back();  // workers come anew with every run of the region
  }
  threads_.front().records.clear();
  untuned_.clear();
  for (ProblemSlot& slot : slots_) {
    slot.launched.rejections.clear();
  }
}

[[gnu::cold]] void RunContext::note_inner_launch(const ThreadLog& log, const KernelCore& inner) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(log.current.load(std::memory_order_relaxed) >> 32);
  if (index == 0 || index > slots_.size() || slots_[index - 1].problem.choice_point) {
    return;
  }
  ProblemSlot& outer = slots_[index - 1];
  const bool is_tuned = !outer.found.locked_config && outer.problem.config_count > 1;
  if (!is_tuned || outer.found.members.empty() || std::exchange(outer.found.told_of_inner, true)) {
    return;
  }
  const KernelTraits& traits = outer.found.members.front()->traits();
  const std::string own_times = "\" launches the tunable kernel \"" + inner.traits().name +
                                "\", which is tuned beside it: its own times contain that kernel's, and may "
                                "choose a config that is best for other inner configs only. ";
  note(traits.function
           ? "function \"" + traits.name + own_times +
                 "Let its default launch that kernel from the first call on, so that it is tuned first"
           : "kernel \"" + traits.name + own_times +
                 "Make it a function by `autotune`, or an alternative of `Alternatives`: these "
                 "tune the inner kernel first");
}

void RunContext::note_untuned_launch() {
  const std::lock_guard lock(mutex_);
  untuned_.insert(batch_iteration);
}

bool RunContext::has_untuned_launch(std::uint32_t iteration) {
  const std::lock_guard lock(mutex_);
  return untuned_.contains(iteration);
}

void RunContext::forgive_assignments() {
  const std::lock_guard lock(mutex_);
  for (ProblemSlot& slot : slots_) {
    for (const LocalRejection& rejection : slot.launched.rejections) {
      if (rejection.of_assignment) {
        slot.launched.rejected[rejection.config_id].store(false, std::memory_order_release);
      }
    }
  }
}

ProblemSlot& RunContext::add_remote(const Problem& problem) {
  const std::lock_guard lock(mutex_);
  return list(problem, problem.choice_point);
}

}  // namespace contextual::detail
