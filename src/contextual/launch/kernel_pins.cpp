#include "contextual/launch/kernel_pins.hpp"

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <utility>

namespace contextual::detail {
namespace {

constexpr int not_pinned = -2;  // beside LockInTable::none, which stands for a launch that is new

/// A kernel that is made anew may have another space.
std::uint64_t place_of(const KernelCore& core, std::uint64_t scope) {
  return scope ^ core.table_digest() ^ core.name_hash();
}

[[noreturn]] void refuse(const Pin& pin, const KernelCore& core, const std::string& why) {
  throw InvalidArgument(pin.file + " pins kernel \"" + core.traits().name + "\" to " +
                        (pin.config ? pin.config->to_string() : "config-" + std::to_string(*pin.config_id)) +
                        ", which cannot be launched: " + why + "; change the file or remove it");
}

}  // namespace

std::size_t pinned_config(const Pin& pin, const KernelCore& core) {
  const SpaceView& space = core.space();
  const bool coupled = !core.traits().coupling.empty();
  const bool both = pin.key && !pin.key_text.empty() && !pin.key->is_digest();
  if (both && !pin.key_text.starts_with(core.key_text(*pin.key))) {
    refuse(pin, core, "its key and its key_words differ, so key_words has to go");
  }
  if (coupled && !pin.config_id) {
    refuse(pin, core, "coupled kernels have different configs of equal ids, so it has to give a config_id");
  }
  if (pin.config_id.value_or(0) >= space.size) {
    refuse(pin, core, "the kernel has " + std::to_string(space.size) + " configs");
  }
  if (coupled || !pin.config) {
    return *pin.config_id;
  }
  const auto found = std::find_if(space.configs.begin(), space.configs.end(), [&](const Config& config) {
    return Config::from_json(config.to_json()) == *pin.config;  // as a file gives it back
  });
  if (found == space.configs.end()) {
    refuse(pin, core,
           "it is none of the kernel's " + std::to_string(space.size) + " configs, whose default is " +
               space.configs.front().to_string());
  }
  const auto config_id = static_cast<std::size_t>(found - space.configs.begin());
  if (pin.config_id.value_or(config_id) != config_id) {
    refuse(
        pin, core,
        "that is config-" + std::to_string(config_id) + " and not config-" + std::to_string(*pin.config_id));
  }
  return config_id;
}

std::string pinned_failure_text(const std::string& file, const KernelCore& core, const std::string& key_text,
                                std::size_t config_id, const std::string& reason) {
  return file + " pins kernel \"" + core.traits().name + "\", key " + key_text + ", to config-" +
         std::to_string(config_id) + " " + core.space().configs.at(config_id).to_string() +
         ", which failed to launch: " + reason +
         ". Nothing else is launched in its place; change the file or "
         "remove it";
}

KernelPins::KernelPins(ByRegion pins, const KernelPins* before) : pins_(std::move(pins)) {
  for (const auto& [region, of_region] : pins_) {
    const bool known =
        before != nullptr && before->pins_.contains(region) && before->pins_.at(region) == of_region;
    used_[region] = known ? before->used_.at(region) : std::make_shared<std::deque<Used>>(of_region.size());
  }
}

std::vector<Pin> KernelPins::take_unused(std::uint32_t region) const {
  std::vector<Pin> unused;
  const auto pins = pins_.find(region);
  if (pins == pins_.end()) {
    return unused;
  }
  std::deque<Used>& used = *used_.at(region);
  for (std::size_t i = 0; i < pins->second.size(); ++i) {
    if (!used[i].value.exchange(true, std::memory_order_relaxed)) {
      unused.push_back(pins->second[i]);
    }
  }
  return unused;
}

const Pin* KernelPins::find(std::uint32_t region, const Key& key, const std::string& key_text,
                            std::uint64_t scope) const {
  const auto pins = pins_.find(region);
  if (pins == pins_.end()) {
    return nullptr;
  }
  const auto closeness = [&](const Pin& pin) { return (pin.of_every_key() ? 0 : 2) + (pin.scope ? 1 : 0); };
  const Pin* found = nullptr;
  for (const Pin& pin : pins->second) {
    if (pin.is_for(key, key_text, scope) && (found == nullptr || closeness(*found) < closeness(pin))) {
      found = &pin;
    }
  }
  if (found != nullptr) {
    (*used_.at(region))[static_cast<std::size_t>(found - pins->second.data())].value.store(
        true, std::memory_order_relaxed);
  }
  return found;
}

int KernelPins::config_of(const KernelCore& core, std::uint32_t region, const Key& key,
                          std::uint64_t scope) const {
  const std::uint64_t place = place_of(core, scope);
  int config_id = known_.find(region, key, place);
  if (config_id == LockInTable::none) {
    const Pin* const pin = find(region, key, core.key_text(key), scope);
    config_id = pin == nullptr ? not_pinned : static_cast<int>(pinned_config(*pin, core));
    known_.lock_in(region, key, config_id, ChoiceFinality::provisional, place);
  }
  return config_id == not_pinned ? LockInTable::none : config_id;
}

void KernelPins::use_default(const KernelCore& core, std::uint32_t region, const Key& key,
                             std::uint64_t scope) const {
  known_.lock_in(region, key, 0, ChoiceFinality::provisional, place_of(core, scope));
}

}  // namespace contextual::detail
