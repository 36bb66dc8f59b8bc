#pragma once

/// \file
/// Maps a launch's kernel, key and alternatives around it to its tuning problem.

#include "contextual/launch/problem_slot.hpp"

#include <contextual/key.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual::detail {

/// Uses open addressing and is at most half full, so that a look-up takes a few reads for any number of keys.
/// Any number of threads may read it while no thread adds to it.
class LaunchMap {
 public:
  LaunchMap() : places_(smallest_capacity) {}

  /// Adds a kernel with the key of `slot`. Add each kernel and key only once.
  void add(const KernelCore& core, ProblemSlot& slot);
  /// Adds what another one has.
  void add(const LaunchMap& other);
  void clear();
  ProblemSlot* find(const KernelCore& core, const Key& key, std::uint64_t scope) const noexcept {
    for (std::size_t i = place_hash(core, key, scope);; ++i) {
      const Place& place = places_[i & (places_.size() - 1)];
      if (place.slot == nullptr) {
        return nullptr;
      }
      if (place.core == &core && place.slot->problem.scope == scope && place.slot->problem.key == key) {
        return place.slot;
      }
    }
  }

  bool empty() const noexcept { return count_ == 0; }
  /// Returns how many places a successful look-up reads at most; for tests.
  std::size_t longest_probe() const noexcept;

 private:
  static constexpr std::size_t smallest_capacity = 16;

  struct Place {
    const KernelCore* core = nullptr;
    ProblemSlot* slot = nullptr;
  };
  /// Kernels lie at regular distances in memory; the factor spreads those that share a key.
  static std::size_t place_hash(const KernelCore& core, const Key& key, std::uint64_t scope) noexcept {
    return static_cast<std::size_t>(key.hash() ^ scope ^
                                    (reinterpret_cast<std::uintptr_t>(&core) * 0x9e3779b97f4a7c15ULL >> 16));
  }
  void put(const Place& place);

  std::vector<Place> places_;  ///< their number is a power of two
  std::size_t count_ = 0;
};

}  // namespace contextual::detail
