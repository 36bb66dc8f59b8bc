#include "contextual/launch/kernel_pins.hpp"

#include <contextual/detail/launch/kernel_core.hpp>
#include <contextual/error.hpp>

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace contextual::detail {
namespace {

constexpr std::uint32_t no_region = 0;
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
    found->used.value->store(true, std::memory_order_relaxed);
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

PinBook::PinBook() {
  // As in LaunchRegistry, which makes the book first: it locks the book while it is locked itself.
  pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                 [] { instance().mutex_.unlock(); });
}

PinBook& PinBook::instance() {
  static auto* const book = new PinBook;  // outlives static kernels
  return *book;
}

void PinBook::replace(std::uint32_t region_id, const std::vector<Pin>& pins) {
  const std::lock_guard lock(mutex_);
  std::map<std::string, KernelPins::ByRegion> changed;
  const std::vector<Pin> before = pins_in(region_id, [](const Pin&) { return true; });
  for (const auto& [name, known] : latest_) {
    KernelPins::ByRegion& by_region = changed.emplace(name, known->by_region()).first->second;
    if (by_region.erase(region_id) > 0) {
      by_region.erase(no_region);
    }
  }
  for (const Pin& pin : pins) {
    const auto same = std::find(before.begin(), before.end(), pin);  // its use is known
    changed[pin.kernel][region_id].push_back(same == before.end() ? pin : *same);
  }
  for (auto& [name, by_region] : changed) {
    if (const auto now = by_region.find(region_id); now != by_region.end()) {
      by_region[no_region] = now->second;
    }
    const KernelPins*& known = latest_[name];
    if (known == nullptr || known->by_region() != by_region) {
      known = &all_.emplace_back(std::move(by_region));
    }
  }
}

const KernelPins* PinBook::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = latest_.find(name);
  return found == latest_.end() ? nullptr : found->second;
}

const KernelPins* PinBook::of(const KernelCore& core) const {
  const KernelTraits& traits = core.traits();
  return find(traits.coupling.empty() ? traits.name : traits.coupling);
}

std::string PinBook::file_for(std::uint32_t region_id, const Problem& problem) const {
  const KernelPins* const pins = find(problem.name);
  const Pin* const pin =
      pins == nullptr ? nullptr : pins->find(region_id, problem.key, problem.key_text, problem.scope);
  return pin == nullptr ? std::string() : pin->file;
}

std::vector<Pin> PinBook::pins_in(std::uint32_t region_id, bool (*wanted)(const Pin& pin)) const {
  std::vector<Pin> all;
  for (const auto& [name, pins] : latest_) {
    if (const auto found = pins->by_region().find(region_id); found != pins->by_region().end()) {
      std::copy_if(found->second.begin(), found->second.end(), std::back_inserter(all), wanted);
    }
  }
  return all;
}

std::vector<Pin> PinBook::in_region(std::uint32_t region_id) const {
  const std::lock_guard lock(mutex_);
  return pins_in(region_id, [](const Pin&) { return true; });
}

std::vector<Pin> PinBook::take_unused(std::uint32_t region_id) const {
  const std::lock_guard lock(mutex_);
  return pins_in(region_id, [](const Pin& pin) { return !pin.used.value->exchange(true); });
}

}  // namespace contextual::detail
