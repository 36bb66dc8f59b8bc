#include "contextual/tuning/cached_configs_on_disk.hpp"

#include <contextual/config_cache.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace contextual {
namespace {

using tuning::CachedConfigsOnDisk;

struct ByTypeThenSize {
  bool operator()(const TuneRequest& a, const TuneRequest& b) const {
    return std::tie(a.kernel_type, a.problem_size, a.device) <
           std::tie(b.kernel_type, b.problem_size, b.device);
  }
};

template <typename Usable>
std::optional<CachedConfig> first_of(const std::vector<CachedConfig>& newest_first, const Usable& usable) {
  const auto found = std::find_if(newest_first.begin(), newest_first.end(), usable);
  return found == newest_first.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

struct ConfigCache::Impl {
  explicit Impl(std::filesystem::path directory) : disk(std::move(directory)) {}

  template <typename Usable>
  std::optional<CachedConfig> find(const TuneRequest& request, const Usable& usable) const {
    const std::lock_guard lock(mutex);
    const auto known = memory.find(request);
    if (known != memory.end()) {
      if (std::optional<CachedConfig> config = first_of(known->second, usable)) {
        return config;
      }
    }
    for (const CachedConfigsOnDisk::Entry& entry : disk.entries(request.kernel_type)) {
      if (entry.request == request && usable(entry.config)) {
        if (!entry.caveat.empty()) {
          detail::warn_once(entry.caveat);
        }
        return entry.config;
      }
    }
    return std::nullopt;
  }

  const CachedConfigsOnDisk disk;
  mutable std::mutex mutex;  // also held while files are written, so that memory and disk have one order
  std::map<TuneRequest, std::vector<CachedConfig>, ByTypeThenSize> memory;  // the newest first
};

ConfigCache::ConfigCache(std::filesystem::path directory)
    : impl_(std::make_unique<Impl>(std::move(directory))) {}
ConfigCache::~ConfigCache() = default;

std::optional<CachedConfig> ConfigCache::get(const TuneRequest& request) const {
  return impl_->find(request, [](const CachedConfig& /*config*/) { return true; });
}

std::optional<CachedConfig> ConfigCache::get_made_for(const TuneRequest& request,
                                                      std::uint64_t made_for) const {
  return impl_->find(request, [made_for](const CachedConfig& config) {
    return config.made_for == made_for || config.made_for == 0;
  });
}

std::string ConfigCache::set(const TuneRequest& request, const CachedConfig& config) {
  if (config.time_ns.value_or(0) < 0) {
    throw InvalidArgument("config cache: the time of " + to_string(request) + " is " +
                          std::to_string(*config.time_ns) + " ns: leave it out if it is not known");
  }
  const std::lock_guard lock(impl_->mutex);
  std::vector<CachedConfig>& configs = impl_->memory[request];
  std::erase_if(configs, [&](const CachedConfig& old) {
    return config.made_for == 0 || old.made_for == config.made_for;
  });
  configs.insert(configs.begin(), config);
  return impl_->disk.write({request, config});
}

std::string ConfigCache::clear(const std::optional<std::string>& kernel_type) {
  const std::lock_guard lock(impl_->mutex);
  std::erase_if(impl_->memory,
                [&](const auto& known) { return !kernel_type || known.first.kernel_type == *kernel_type; });
  std::string problems;
  for (const std::string& type : impl_->disk.kernel_types()) {
    const std::string problem = !kernel_type || type == *kernel_type ? impl_->disk.remove(type) : "";
    problems += (problems.empty() || problem.empty() ? "" : "; ") + problem;
  }
  return problems;
}

std::vector<TuneRequest> ConfigCache::get_all_keys() const {
  const std::lock_guard lock(impl_->mutex);
  std::set<TuneRequest, ByTypeThenSize> requests;
  for (const auto& [request, configs] : impl_->memory) {
    requests.insert(request);
  }
  for (const std::string& type : impl_->disk.kernel_types()) {
    for (CachedConfigsOnDisk::Entry& entry : impl_->disk.entries(type)) {
      requests.insert(std::move(entry.request));
    }
  }
  return {requests.begin(), requests.end()};
}

const std::filesystem::path& ConfigCache::directory() const noexcept {
  return impl_->disk.directory();
}

}  // namespace contextual
