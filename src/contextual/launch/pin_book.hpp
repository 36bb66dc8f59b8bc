#pragma once

/// \file
/// What is pinned in this process.

#include "contextual/launch/kernel_pins.hpp"
#include "contextual/launch/problem_slot.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace contextual::detail {

class KernelCore;

/// The pins by the name of the kernel or coupling. There is one book in a process, which is never destroyed.
/// Thread-safe.
class PinBook {
 public:
  static PinBook& instance();

  /// Replaces what is pinned in a region; launches outside of regions follow what was pinned last. What `of`
  /// has returned before stays valid, and says what it said.
  void replace(std::uint32_t region_id, const std::vector<Pin>& pins);

  /// Returns null if nothing of the kernel is pinned.
  const KernelPins* of(const KernelCore& core) const;
  /// Returns the file that pins the problem in the region, or an empty text.
  std::string file_for(std::uint32_t region_id, const Problem& problem) const;

  std::vector<Pin> in_region(std::uint32_t region_id) const;
  /// Returns the pins of the region that neither a launch nor `file_for` has found so far; each pin once.
  std::vector<Pin> take_unused(std::uint32_t region_id) const;

 private:
  PinBook();
  const KernelPins* find(const std::string& name) const;

  mutable std::mutex mutex_;
  std::deque<KernelPins> all_;  ///< older ones too, which a launch may still read
  std::map<std::string, const KernelPins*> latest_;
};

}  // namespace contextual::detail
