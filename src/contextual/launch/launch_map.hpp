#pragma once

/// \file
/// Which problem a launch belongs to: (kernel, key) -> problem.

#include "contextual/launch/problem_slot.hpp"

#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::detail {

/// Open addressing, half full at most: a look-up costs a few reads whatever the number of keys. Not
/// thread-safe while it grows; any number of threads may read it while nobody adds to it.
class LaunchMap {
 public:
  LaunchMap() : places_(smallest_capacity) {}

  /// The problem's key is that of the launches; a kernel and key are added once.
  void add(const KernelCore& core, ProblemSlot& slot);
  void clear();
  ProblemSlot* find(const KernelCore& core, const Key& key) const noexcept {
    for (std::size_t i = place_hash(core, key);; ++i) {
      const Place& place = places_[i & (places_.size() - 1)];
      if (place.slot == nullptr) {
        return nullptr;
      }
      if (place.core == &core && place.slot->problem.key == key) {
        return place.slot;
      }
    }
  }

  bool empty() const noexcept { return count_ == 0; }
  /// How many places a look-up reads at most to find what is there; for tests.
  std::size_t longest_probe() const noexcept;

 private:
  static constexpr std::size_t smallest_capacity = 16;

  struct Place {
    const KernelCore* core = nullptr;
    ProblemSlot* slot = nullptr;
  };
  /// Kernels lie at regular distances: the factor spreads those that share a key.
  static std::size_t place_hash(const KernelCore& core, const Key& key) noexcept {
    return static_cast<std::size_t>(key.hash() ^
                                    (reinterpret_cast<std::uintptr_t>(&core) * 0x9e3779b97f4a7c15ULL >> 16));
  }
  void put(const Place& place);

  std::vector<Place> places_;  ///< a power of two of them
  std::size_t count_ = 0;
};

}  // namespace contextual::detail
