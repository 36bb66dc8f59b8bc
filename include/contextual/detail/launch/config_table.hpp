#pragma once

#include <contextual/config_space.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace contextual::detail {

/// A kernel's configs as its launches read them: without the lock that asking the space takes. Thread-safe.
/// Generates the space at the first look at a config, which throws ConfigSpaceError for a bad one.
template <typename C>
class ConfigTable {
 public:
  explicit ConfigTable(std::shared_ptr<const ConfigSpace<C>> space) : space_(std::move(space)) {}
  ConfigTable(const ConfigTable&) = delete;
  ConfigTable& operator=(const ConfigTable&) = delete;

  const std::shared_ptr<const ConfigSpace<C>>& space() const noexcept { return space_; }

  /// `config_id` comes from the engine and is not checked.
  const C& operator[](std::size_t config_id) const { return first()[config_id]; }

  /// Of a config that is in the table: the engine hands out references into it.
  std::size_t id_of(const C& config) const { return static_cast<std::size_t>(&config - first()); }

 private:
  const C* first() const {
    const C* configs = first_.load(std::memory_order_acquire);
    if (configs == nullptr) [[unlikely]] {
      configs = space_->configs().data();
      first_.store(configs, std::memory_order_release);
    }
    return configs;
  }

  std::shared_ptr<const ConfigSpace<C>> space_;
  mutable std::atomic<const C*> first_{nullptr};
};

}  // namespace contextual::detail
