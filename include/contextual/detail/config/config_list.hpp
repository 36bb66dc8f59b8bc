#pragma once

#include <contextual/export.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace contextual::detail {

/// Configs of one type in an order, for code that does not know the type.
class CONTEXTUAL_API ConfigList {
 public:
  ConfigList() = default;
  ConfigList(const ConfigList&) = delete;
  ConfigList& operator=(const ConfigList&) = delete;
  virtual ~ConfigList();

  virtual std::size_t size() const noexcept = 0;
  /// The pointer is valid until a config is appended.
  virtual const void* at(std::size_t i) const noexcept = 0;
  /// Appends a copy of `config` and returns the copy.
  virtual void* append(const void* config) = 0;
  /// Appends a config with its default values. Returns false if the type has none.
  virtual bool append_default() = 0;
  virtual void remove_last() noexcept = 0;
};

template <typename C>
class TypedConfigList final : public ConfigList {
 public:
  TypedConfigList() = default;
  explicit TypedConfigList(std::vector<C> given) : configs(std::move(given)) {}

  std::size_t size() const noexcept override { return configs.size(); }
  const void* at(std::size_t i) const noexcept override { return configs.data() + i; }
  void* append(const void* config) override {
    configs.push_back(*static_cast<const C*>(config));
    return std::addressof(configs.back());
  }
  bool append_default() override {
    if constexpr (std::default_initializable<C>) {
      configs.push_back(C{});
    }
    return std::default_initializable<C>;
  }
  void remove_last() noexcept override { configs.pop_back(); }

  std::vector<C> configs;
};

template <typename C>
std::unique_ptr<ConfigList> make_config_list() {
  return std::make_unique<TypedConfigList<C>>();
}

}  // namespace contextual::detail
