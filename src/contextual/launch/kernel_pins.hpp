#pragma once

/// \file
/// The pins of the problems of one name, and which of their launches they are for.

#include "contextual/config/pin.hpp"

#include <contextual/detail/launch/lock_in_table.hpp>
#include <contextual/key.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
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

  /// `before` is what it replaces, or null: what has been used of the same pins of a region stays so.
  explicit KernelPins(ByRegion pins, const KernelPins* before = nullptr);

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

  /// Returns the pins of the region that `find` has never returned; each pin once.
  std::vector<Pin> take_unused(std::uint32_t region) const;

 private:
  /// True if a problem has been found for the pin, or somebody has been told that there is none.
  struct Used {
    std::atomic<bool> value{false};
  };

  ByRegion pins_;
  std::map<std::uint32_t, std::shared_ptr<std::deque<Used>>> used_;  ///< as `pins_`; its shape never changes
  mutable LockInTable known_;                                        ///< what launches have found so far
};

/// Returns the id of the pinned config in the kernel's space. Throws InvalidArgument, which names the file,
/// if there is none.
std::size_t pinned_config(const Pin& pin, const KernelCore& core);

/// Returns the message of an error: a pinned config has failed to launch.
std::string pinned_failure_text(const std::string& file, const KernelCore& core, const std::string& key_text,
                                std::size_t config_id, const std::string& reason);

}  // namespace contextual::detail
