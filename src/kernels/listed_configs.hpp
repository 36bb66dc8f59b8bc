#pragma once

/// \file
/// The configs of several kernels with what each needs, by the kernel's name.

#include <contextual/config.hpp>
#include <contextual/config_space.hpp>
#include <contextual/error.hpp>
#include <contextual/resource_limits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contextual::kernels {

/// One kernel's configs, the default first.
struct ListedConfig {
  Config config;
  ResourceNeeds needs;
};
using ListedConfigs = std::vector<ListedConfig>;

template <typename C, typename Needs>
ListedConfigs list_configs(const ConfigSpace<C>& space, const Needs& needs) {
  ListedConfigs all;
  for (std::size_t id = 0; id < space.size(); ++id) {
    all.push_back({space.to_config(id), needs(space[id])});
  }
  return all;
}

/// The kernels of one library.
class KernelList {
 public:
  /// Each function lists a kernel's configs when it is asked for.
  explicit KernelList(std::map<std::string, std::function<ListedConfigs()>, std::less<>> kernels)
      : kernels_(std::move(kernels)) {}

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, list] : kernels_) {
      names.push_back(name);
    }
    return names;
  }

  ResourceNeeds needs(std::string_view kernel, const Config& config) const {
    const ListedConfigs all = listed(kernel);
    const ListedConfig* const found = find(all, config);
    if (found == nullptr) {
      throw InvalidArgument("kernel \"" + std::string(kernel) + "\" has no config " + config.to_string());
    }
    return found->needs;
  }

  std::vector<Config> generate(std::string_view kernel, const ResourceLimits& limits) const {
    std::vector<Config> valid;
    for (const ListedConfig& listed : listed(kernel)) {
      if (fits(listed.needs, limits)) {
        valid.push_back(listed.config);
      }
    }
    return valid;
  }

  std::vector<Config> filter(std::string_view kernel, const std::vector<Config>& configs,
                             const ResourceLimits& limits) const {
    const ListedConfigs all = listed(kernel);
    std::vector<Config> valid;
    std::copy_if(configs.begin(), configs.end(), std::back_inserter(valid), [&](const Config& config) {
      const ListedConfig* const found = find(all, config);
      return found != nullptr && fits(found->needs, limits);
    });
    return valid;
  }

  Config default_of(std::string_view kernel, const ResourceLimits& limits) const {
    const ListedConfigs all = listed(kernel);
    for (const ListedConfig& one : all) {
      if (fits(one.needs, limits)) {
        return one.config;
      }
    }
    throw InvalidArgument("kernel \"" + std::string(kernel) +
                          "\" has no config that fits the limits: " + shortage(all, limits));
  }

 private:
  ListedConfigs listed(std::string_view kernel) const {
    const auto found = kernels_.find(kernel);
    if (found != kernels_.end()) {
      return found->second();
    }
    std::string known;
    for (const std::string& name : names()) {
      known += (known.empty() ? "" : ", ") + name;
    }
    throw InvalidArgument("there is no kernel \"" + std::string(kernel) + "\" here, but " + known);
  }

  /// Which limits are below what each config needs, or that no config is within all of them.
  static std::string shortage(const ListedConfigs& all, const ResourceLimits& limits) {
    std::string text;
    const auto compare = [&](const char* limit, const auto& value, const auto& need) {
      if (!value || all.empty()) {
        return;
      }
      std::int64_t least = need(all.front().needs);
      for (const ListedConfig& one : all) {
        least = std::min<std::int64_t>(least, need(one.needs));
      }
      if (least > *value) {
        text += (text.empty() ? "" : ", and ") + std::string(limit) + " is " + std::to_string(*value) +
                ", but each needs at least " + std::to_string(least);
      }
    };
    compare("shared_bytes", limits.shared_bytes, [](const ResourceNeeds& n) { return n.shared_bytes; });
    compare("threads", limits.threads, [](const ResourceNeeds& n) { return n.threads; });
    compare("registers_per_thread", limits.registers_per_thread,
            [](const ResourceNeeds& n) { return n.registers_per_thread; });
    compare("registers", limits.registers,
            [](const ResourceNeeds& n) { return std::int64_t{n.registers_per_thread} * n.threads; });
    return text.empty() ? "each config is above one of them" : text;
  }

  static const ListedConfig* find(const ListedConfigs& all, const Config& config) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ListedConfig& one) { return one.config == config; });
    return found == all.end() ? nullptr : &*found;
  }

  std::map<std::string, std::function<ListedConfigs()>, std::less<>> kernels_;
};

}  // namespace contextual::kernels
