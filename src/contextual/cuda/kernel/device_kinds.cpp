#include "contextual/cuda/kernel/device_kinds.hpp"

#include "contextual/cuda/api/driver.hpp"
#include "contextual/cuda/kernel/devices_text.hpp"

#include <contextual/cuda/error.hpp>
#include <contextual/detail/launch/device_check.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace contextual::cuda {
namespace {

struct Kind {
  CUdevice device = 0;
  std::string name;
  bool operator==(const Kind&) const = default;
};
using Kinds = std::vector<Kind>;  // by device; stays when another one becomes known

std::atomic<const Kinds*> known{nullptr};
std::atomic<const std::string*> first_name{nullptr};  // null: nothing has been launched

/// Of the calling thread's current device; null where there is none.
const std::string* current_name(const Kinds& kinds) {
  CUdevice device = 0;
  if (driver().cuCtxGetDevice(&device) != CUDA_SUCCESS) {
    return nullptr;
  }
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& other) { return other.device == device; });
  return kind == kinds.end() ? nullptr : &kind->name;
}

/// Returns the kind that was used first; from now on this one, if there was none.
const std::string& first_or(const std::string& name) noexcept {
  const std::string* first = nullptr;
  return first_name.compare_exchange_strong(first, &name) ? name : *first;
}

/// Of a launch.
std::string device_problem() {
  const std::string* const current = current_name(*known.load(std::memory_order_acquire));
  if (current == nullptr) {
    return {};
  }
  const std::string& first = first_or(*current);
  if (first == *current) {
    return {};
  }
  return "the current device is \"" + *current + "\", but this process uses \"" + first +
         "\", which was current at its first launch: start one process for each kind of device";
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
    kinds.push_back({device, device_text(device)});
  }
  return kinds;
}

bool alike(const Kinds& kinds) {
  return std::all_of(kinds.begin(), kinds.end(),
                     [&](const Kind& kind) { return kind.name == kinds.front().name; });
}

}  // namespace

void tell_device_kinds() {
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
  detail::set_device_check(several ? device_problem : nullptr);
}

std::string first_kind_text() {
  tell_device_kinds();
  const Kinds& kinds = *known.load(std::memory_order_acquire);
  if (alike(kinds)) {
    return {};
  }
  if (const std::string* const first = first_name.load()) {
    return *first;
  }
  const std::string* const current = current_name(kinds);
  return current == nullptr ? kinds.front().name : *current;
}

}  // namespace contextual::cuda
