#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/thread_state_scope.hpp"
#include "contextual/launch/use_pass.hpp"

#include <contextual/context_guard.hpp>
#include <contextual/detail/launch/chosen_launch.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/launch_registry.hpp>

namespace contextual::detail {
namespace {

/// Other ranks launch the kernel under this key with the region's choice, or the kernels that it is coupled
/// to do.
bool others_use_it(const KernelCore& core, std::uint32_t region, const Key& key, std::uint64_t scope) {
  return !core.traits().coupling.empty() || (LaunchRegistry::instance().of_several_ranks(region) &&
                                             !core.table()->used_here_only(region, key, scope));
}

/// The region in which the launch's choice was made.
std::uint32_t region_of_choice(const LockInTable& table, std::uint32_t region, const Key& key,
                               std::uint64_t scope) {
  const bool in_region = region != 0 && table.find(region, key, scope) != LockInTable::none;
  return in_region ? region : table.chosen_in(key, scope);
}

constexpr auto others_use_it_text =
    "Nothing else is launched in its place, because other ranks or kernels use it too; what was chosen with "
    "it is left out when the ranks meet next";

void warn(const KernelCore& core, const Key& key, std::size_t config_id, const std::string& file,
          const std::string& what_happened, const std::string& what_follows) {
  warn_once("kernel \"" + core.traits().name + "\", key " + core.key_text(key) + ": config-" +
            std::to_string(config_id) + " " + core.space().configs.at(config_id).to_string() +
            (file.empty() ? ", which was chosen, " : ", which " + file + " pins, ") + what_happened + ". " +
            what_follows);
}

}  // namespace

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
  if (others_use_it(core, chosen_in, key, scope)) {
    LaunchRegistry::instance().note_failed_choice(chosen_in);
    warn(core, key, config_id, file, "failed to launch: " + reason, others_use_it_text);
    return false;
  }
  if (!file.empty()) {
    core.unpin(region, key, thread.scope);
  } else {
    const bool last_lock_in = table.find(0, key, scope) == static_cast<int>(config_id) &&
                              !others_use_it(core, table.chosen_in(key, scope), key, scope);
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
  const bool others = others_use_it(core, chosen_in, key, thread.scope);
  const bool ranks_meet = watched && core.traits().coupling.empty();  // and all of them tune then
  const bool fails = others && !is_default && !ranks_meet;
  if (refusal.first && !is_default) {
    warn(core, key, config_id, file, std::string("is not launched: ") + refused_text,
         !fails         ? "Such launches use the default in its place"
         : file.empty() ? others_use_it_text
                        : "Nothing else is launched in its place, because other ranks or kernels use it too");
  }
  if (pass != nullptr && refusal.open && (ranks_meet || fails)) {
    pass->saw_rejection();
  }
  if (fails) {
    if (file.empty()) {
      LaunchRegistry::instance().note_failed_choice(chosen_in);
    }
    throw ConfigRejected(
        "kernel \"" + core.traits().name + "\", key " + core.key_text(key) + ", config-" +
        std::to_string(config_id) + ": " + refused_text +
        ", and other ranks or kernels use it, so nothing takes its place. Call `run` on all ranks with "
        "such arguments, or make what `keep` asks for a part of the key");
  }
  const bool counts_as_new = refusal.open && file.empty() && !others;
  if (counts_as_new && pass != nullptr) {
    pass->saw_new(core, key);
  }
  return counts_as_new;
}

}  // namespace contextual::detail
