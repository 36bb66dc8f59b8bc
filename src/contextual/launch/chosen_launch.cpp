#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

#include <algorithm>
#include <utility>

namespace contextual::detail {
namespace {

/// Other ranks launch the kernel under this key with the region's choice.
bool ranks_use_it(const KernelCore& core, std::uint32_t region, const Key& key, std::uint64_t scope) {
  return LaunchRegistry::instance().of_several_ranks(region) &&
         !core.table()->used_here_only(region, key, scope);
}

/// Kernels that it is coupled to launch the region's choice, too.
bool partners_use_it(const KernelCore& core, std::uint32_t region, const Key& key, std::uint64_t scope) {
  const auto partners = LaunchRegistry::instance().coupled(core.traits().coupling);
  return std::any_of(partners.begin(), partners.end(), [&](const auto& partner) {
    return partner->traits().name != core.traits().name &&
           (partner->table()->find(region, key, scope) != LockInTable::none ||
            !partner->pinning_file(region, key, scope).empty());
  });
}

/// The region in which the launch's choice was made.
std::uint32_t region_of_choice(const LockInTable& table, std::uint32_t region, const Key& key,
                               std::uint64_t scope) {
  const bool in_region = region != 0 && table.find(region, key, scope) != LockInTable::none;
  return in_region ? region : table.chosen_in(key, scope);
}

/// Why nothing takes the place of a choice, and what the program's author can do about it.
std::string others_use_it_text(const KernelCore& core, std::uint32_t chosen_in, const std::string& file) {
  const LaunchRegistry& registry = LaunchRegistry::instance();
  const std::string region = "\"" + registry.region_name(chosen_in) + "\"";
  const bool ranks = registry.of_several_ranks(chosen_in);
  std::string text = "Nothing else is launched in its place, because other ";
  text += ranks ? "ranks or kernels use it too" : "kernels use it too";
  if (!file.empty()) {
    return text + ": change the file or remove it";
  }
  if (!ranks) {
    return text + ". The next call of " + region + " that may tune leaves it out";
  }
  return text + ". All ranks leave it out together in the next " +
         (core.traits().function
              ? "call of " + region + " that tunes, such as one with a key that is new on all of them"
              : "`run` of region " + region + " that may tune, or call of it as a wrapped region that tunes");
}

/// "rank 1: " on one of several ranks.
std::string rank_text() {
  const UsePass* const pass = thread_state().use;
  return pass != nullptr && pass->rank() >= 0 ? "rank " + std::to_string(pass->rank()) + ": " : "";
}

void warn(const KernelCore& core, const Key& key, std::size_t config_id, const std::string& file,
          const std::string& what_happened, const std::string& what_follows) {
  warn_once(rank_text() + "kernel \"" + core.traits().name + "\", key " + core.key_text(key) + ": config-" +
            std::to_string(config_id) + " " + core.space().configs.at(config_id).to_string() +
            (file.empty() ? ", which was chosen, " : ", which " + file + " pins, ") + what_happened + ". " +
            what_follows);
}

}  // namespace

std::string refused_default_text(const KernelCore& core, const std::string& key_text) {
  return "kernel \"" + core.traits().name + "\", key " + key_text + ": the default, config-0 " +
         core.space().configs.at(0).to_string() + ", is launched, though " + refused_text +
         ". Nothing takes the place of a default: make it a config that every launch may use";
}

void tell_of_refused_default(const KernelCore& core, const Key& key) {
  constexpr std::uint32_t anywhere = 0;
  // Such a launch may come again and again, and takes no lock then.
  thread_local std::pair<std::uint64_t, std::uint64_t> last;
  const std::pair now(core.name_hash(), key.hash() ^ thread_state().scope);
  if (std::exchange(last, now) == now) {
    return;
  }
  if (core.table()->note_refused(anywhere, key, thread_state().scope, 0).first) {
    warn_once(rank_text() + refused_default_text(core, core.key_text(key)));
  }
}

bool falls_back(const KernelCore& core, const Key& key, std::size_t config_id, const std::string& reason) {
  const ThreadState& thread = thread_state();
  const std::uint32_t region = region_of(thread);
  const std::string file = core.pinning_file(region, key, thread.scope);
  const bool coupled = !core.traits().coupling.empty();
  if (thread.use != nullptr) {
    if (thread.use->watched() && !file.empty()) {
      throw Error(pinned_failure_text(file, core, core.key_text(key), config_id, reason));
    }
    thread.use->saw_rejection();
    if (thread.use->watched() && !coupled) {
      if (config_id != 0 && thread.use->rank() >= 0 && !core.traits().takes_stream) {
        warn(core, key, config_id, file, "failed to launch: " + reason,
             "This rank launches the default in its place, and all ranks tune after this call");
      }
      return config_id != 0;
    }
  }
  if (config_id == 0) {
    return false;
  }
  LockInTable& table = *core.table();
  const std::uint64_t scope = thread.scope;
  const std::uint32_t chosen_in = region_of_choice(table, region, key, scope);
  table.note_failed({key, scope, static_cast<int>(config_id)}, reason);
  if (coupled || ranks_use_it(core, chosen_in, key, scope)) {
    LaunchRegistry::instance().note_failed_choice(chosen_in);
    warn(core, key, config_id, file, "failed to launch: " + reason,
         others_use_it_text(core, chosen_in, file));
    return false;
  }
  if (!file.empty()) {
    core.unpin(region, key, thread.scope);
  } else {
    const bool last_lock_in = table.find(0, key, scope) == static_cast<int>(config_id) &&
                              !ranks_use_it(core, table.chosen_in(key, scope), key, scope);
    table.lock_in(region, key, 0, ChoiceFinality::kept, scope);
    if (last_lock_in) {
      table.lock_in(0, key, 0, ChoiceFinality::kept, scope);
    }
  }
  warn(core, key, config_id, file, "failed to launch: " + reason,
       "This process launches the default in its place");
  return true;
}

bool replace_refused(const KernelCore& core, const Key& key, std::size_t config_id) {
  const ThreadState& thread = thread_state();
  const std::uint32_t region = region_of(thread);
  const std::string file = core.pinning_file(region, key, thread.scope);
  LockInTable& table = *core.table();
  const std::uint32_t chosen_in = file.empty() ? region_of_choice(table, region, key, thread.scope) : region;
  const bool is_default = config_id == 0;
  if (is_default && (!file.empty() || region == 0 || chosen_in != region)) {
    return false;  // nobody has chosen it
  }
  UsePass* const pass = thread.use;
  const bool watched = pass != nullptr && pass->watched();
  if (watched && !file.empty()) {
    throw Error(pinned_failure_text(file, core, core.key_text(key), config_id, refused_text));
  }
  const auto refusal = table.note_refused(chosen_in, key, thread.scope, static_cast<int>(config_id));
  const bool others =
      ranks_use_it(core, chosen_in, key, thread.scope) || partners_use_it(core, chosen_in, key, thread.scope);
  const bool ranks_meet = watched && core.traits().coupling.empty();  // and all of them tune then
  const bool fails = others && !is_default && !ranks_meet;
  if (refusal.first && !is_default) {
    warn(core, key, config_id, file, std::string("is not launched: ") + refused_text,
         fails ? others_use_it_text(core, chosen_in, file) : "Such launches use the default in its place");
  }
  if (pass != nullptr && refusal.open && (ranks_meet || fails)) {
    pass->saw_rejection();
  }
  if (fails) {
    if (file.empty()) {
      LaunchRegistry::instance().note_failed_choice(chosen_in);
    }
    throw ConfigRejected("kernel \"" + core.traits().name + "\", key " + core.key_text(key) + ", config-" +
                         std::to_string(config_id) + " " + core.space().configs.at(config_id).to_string() +
                         ": " + refused_text + ". " + others_use_it_text(core, chosen_in, file) +
                         ". A key that says what `keep` asks for gives each such size a choice of its own");
  }
  const bool counts_as_new = refusal.open && file.empty() && !others;
  if (counts_as_new && pass != nullptr) {
    pass->saw_new(core, key);
  }
  return counts_as_new;
}

}  // namespace contextual::detail
