#pragma once

/// \file
/// What is pinned in this process, and which launches it is for.

#include "contextual/launch/problem_slot.hpp"
#include "contextual/storage/pin.hpp"

#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/key.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace contextual::detail {

class KernelCore;

/// What is pinned of the kernels of one name, or of a coupling, in all regions. Never changes: LaunchRegistry
/// makes another one if other files are read, and keeps this one, because a launch may still read it.
///
/// The first launch of a key compares texts under a lock. Later ones take no lock and do not allocate.
class KernelPins {
 public:
  /// By region. Region 0 stands for launches outside of regions.
  using ByRegion = std::map<std::uint32_t, std::vector<Pin>>;

  explicit KernelPins(ByRegion pins) : pins_(std::move(pins)) {}

  /// Returns the pin of such a problem, or null. A pin of one key takes precedence over a pin of
  /// every key, and one of these alternatives over one of any.
  const Pin* find(std::uint32_t region, const Key& key, const std::string& key_text,
                  std::uint64_t scope) const;
  /// Returns the id of its config, or LockInTable::none. Throws InvalidArgument, which names the file, if the
  /// kernel has no such config.
  int config_of(const KernelCore& core, std::uint32_t region, const Key& key, std::uint64_t scope) const;

  /// Makes `config_of` return the default for such a launch.
  void use_default(const KernelCore& core, std::uint32_t region, const Key& key, std::uint64_t scope) const;

  const ByRegion& by_region() const noexcept { return pins_; }

 private:
  ByRegion pins_;
  mutable LockInTable known_;  ///< what launches have found so far
};

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
  std::vector<Pin> pins_in(std::uint32_t region_id, bool (*wanted)(const Pin& pin)) const;

  mutable std::mutex mutex_;
  std::deque<KernelPins> all_;  ///< older ones too, which a launch may still read
  std::map<std::string, const KernelPins*> latest_;
};

/// Returns the id of the pinned config in the kernel's space. Throws InvalidArgument, which names the file,
/// if there is none.
std::size_t pinned_config(const Pin& pin, const KernelCore& core);

/// Returns the message of an error: a pinned config has failed to launch.
std::string pinned_failure_text(const std::string& file, const KernelCore& core, const std::string& key_text,
                                std::size_t config_id, const std::string& reason);

}  // namespace contextual::detail
