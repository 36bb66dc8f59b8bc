#include "contextual/cuda/kernel/device_kinds.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/devices_text.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/launch/device_kind.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace contextual::cuda {
namespace {

struct Kind {
  CUdevice device = 0;
  std::string name;
  std::uint64_t word = 0;
  bool operator==(const Kind&) const = default;
};
using Kinds = std::vector<Kind>;  // by device

std::atomic<const Kinds*> known{nullptr};
std::atomic<std::uint64_t> first_word{0};  // 0: nothing has been launched

std::uint64_t word_of(const Kinds& kinds, CUdevice device) noexcept {
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& other) { return other.device == device; });
  return kind == kinds.end() ? 0 : kind->word;
}

/// Of the calling thread's current device; 0 where there is none.
std::uint64_t current_word(const Kinds& kinds) noexcept {
  CUdevice device = 0;
  return driver().cuCtxGetDevice(&device) == CUDA_SUCCESS ? word_of(kinds, device) : 0;
}

/// Returns the word of the kind that was used first; from now on this one, if there was none.
std::uint64_t first_or(std::uint64_t word) noexcept {
  std::uint64_t first = 0;
  return first_word.compare_exchange_strong(first, word) ? word : first;
}

/// Of a launch.
std::uint64_t current_kind() noexcept {
  const Kinds* const kinds = known.load(std::memory_order_acquire);
  const std::uint64_t word = kinds == nullptr ? 0 : current_word(*kinds);
  return word == 0 || first_or(word) == word ? 0 : word;
}

std::string name_of_kind(std::uint64_t word) {
  const Kinds* const kinds = known.load(std::memory_order_acquire);
  for (const Kind& kind : kinds == nullptr ? Kinds() : *kinds) {
    if (kind.word == word) {
      return kind.name;
    }
  }
  return "an unknown device";
}

/// Empty where there is but one device.
Kinds look() {
  int count = 0;
  CONTEXTUAL_CU(cuDeviceGetCount(&count));
  Kinds kinds;
  if (count < 2) {
    return kinds;
  }
  for (const CUdevice device : visible_devices()) {
    const std::string name = device_text(device);
    kinds.push_back({device, name, detail::StableHash().add(std::string_view(name)).value() | 1U});
  }
  return kinds;
}

bool alike(const Kinds& kinds) {
  return std::all_of(kinds.begin(), kinds.end(),
                     [&](const Kind& kind) { return kind.word == kinds.front().word; });
}

}  // namespace

void tell_device_kinds() {
  static constexpr detail::DeviceKinds asked{current_kind, name_of_kind};
  static std::mutex mutex;
  // A launch may read what was known before, so it stays.
  static auto* const all = new std::vector<std::unique_ptr<const Kinds>>;
  Kinds kinds = look();
  const std::lock_guard lock(mutex);
  const Kinds* const before = known.load(std::memory_order_relaxed);
  if (before != nullptr && *before == kinds) {
    return;
  }
  const bool several = !alike(kinds);
  known.store(all->emplace_back(std::make_unique<const Kinds>(std::move(kinds))).get(),
              std::memory_order_release);
  detail::set_device_kinds(several ? &asked : nullptr);
}

std::string first_kind_text() {
  tell_device_kinds();
  const Kinds& kinds = *known.load(std::memory_order_acquire);
  if (alike(kinds)) {
    return {};
  }
  const std::uint64_t current = current_word(kinds);
  return name_of_kind(first_or(current == 0 ? kinds.front().word : current));
}

}  // namespace contextual::cuda
