#pragma once

#include <contextual/config_space.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace contextual::detail {

/// Gives launches access to a kernel's configs without the lock that the space takes. The first access to a
/// config generates the space, and throws ConfigSpaceError for a bad one. Thread-safe.
template <typename C>
class ConfigTable {
 public:
  explicit ConfigTable(ConfigSpace<C> space) : space_(std::move(space)) {}
  ConfigTable(const ConfigTable&) = delete;
  ConfigTable& operator=(const ConfigTable&) = delete;

  const ConfigSpace<C>& space() const noexcept { return space_; }

  /// `config_id` is not checked: it comes from the engine.
  const C& operator[](std::size_t config_id) const { return first()[config_id]; }

  /// `config` must be a reference to a config of this space, such as the engine passes to hooks.
  std::size_t id_of(const C& config) const { return static_cast<std::size_t>(&config - first()); }

 private:
  const C* first() const {
    const C* configs = first_.load(std::memory_order_acquire);
    if (configs == nullptr) [[unlikely]] {
      configs = static_cast<const C*>(space_.erased().configs().at(0));
      first_.store(configs, std::memory_order_release);
    }
    return configs;
  }

  const ConfigSpace<C> space_;
  mutable std::atomic<const C*> first_{nullptr};
};

}  // namespace contextual::detail
