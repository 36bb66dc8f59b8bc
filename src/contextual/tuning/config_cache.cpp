#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_fields.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/config_cache.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/key.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace contextual {
namespace {

using storage::ChoiceSet;
using storage::ChoiceStore;
using storage::KeptChoice;

struct ByTypeThenSize {
  bool operator()(const TuneRequest& a, const TuneRequest& b) const {
    return std::tie(a.kernel_type, a.problem_size, a.device) <
           std::tie(b.kernel_type, b.problem_size, b.device);
  }
};

/// Sets the files apart from those of regions.
constexpr std::string_view region_prefix = "config cache: ";

std::string region_of(const std::string& kernel_type) {
  return std::string(region_prefix) + kernel_type;
}

/// As it is kept: a set with one choice.
ChoiceSet set_of(const TuneRequest& request, const CachedConfig& config) {
  KeptChoice choice;
  choice.kernel = request.kernel_type;
  choice.key_text = storage::text_of({{"problem_size", request.problem_size}, {"device", request.device}});
  choice.key = make_key(detail::StableHash().add(std::string_view(choice.key_text)).value());
  choice.launched = {{request.kernel_type, 0, config.belongs_to}};
  choice.config = config.config.to_json();
  choice.reason = config.belongs_to.empty() ? "set by the program" : "chosen by a KernelTuner";
  choice.time_ns = config.time_ns;
  ChoiceSet set;
  set.region = region_of(request.kernel_type);
  set.written = record::utc_text(std::chrono::system_clock::now());
  set.machines = {detail::this_machine()};
  set.choices.push_back(std::move(choice));
  return set;
}

using Configs = std::map<TuneRequest, CachedConfig, ByTypeThenSize>;

/// Throws InvalidArgument or nlohmann's exceptions if the choice is of no ConfigCache.
Configs::value_type cached_of(const KeptChoice& choice, const std::string& kernel_type) {
  const nlohmann::json request = nlohmann::json::parse(choice.key_text);
  return {{request.at("problem_size").get<std::vector<std::int64_t>>(),
           request.at("device").get<std::string>(), kernel_type},
          {Config::from_json(choice.config), choice.time_ns, choice.launched.at(0).origin}};
}

/// Made on this machine. Versions of software do not count: a KernelTuner asks for them itself.
bool counts(const ChoiceSet& set) {
  return tuning::standing_of(set, {.machines = {detail::this_machine()}, .versions_count = false}) ==
         KeptStanding::counts;
}

}  // namespace

struct ConfigCache::Impl {
  explicit Impl(std::filesystem::path of) : directory(std::move(of)) {}

  std::set<std::string> types_on_disk() const {
    std::set<std::string> types;
    std::vector<storage::FileOfRegion> files;
    if (std::vector<std::string> ignored; !directory.empty()) {
      files = storage::files_in(directory, {}, ignored);
    }
    for (const storage::FileOfRegion& file : files) {
      if (file.region.starts_with(region_prefix)) {
        types.insert(file.region.substr(region_prefix.size()));
      }
    }
    return types;
  }

  /// What counts there of a kernel type.
  Configs on_disk(const std::string& kernel_type) const {
    Configs configs;
    if (directory.empty()) {
      return configs;
    }
    const ChoiceStore store(directory, region_of(kernel_type));
    const ChoiceStore::Kept kept = store.read(store.name_of_sets({detail::this_machine()}));
    for (const std::string& problem : kept.problems) {
      detail::warn_once("cached config: " + problem);
    }
    for (const ChoiceSet& set : kept.file.sets) {
      for (const KeptChoice& choice : counts(set) ? set.choices : std::vector<KeptChoice>()) {
        try {
          configs.insert(cached_of(choice, kernel_type));  // the newest comes first
        } catch (const std::exception& error) {            // nlohmann's are of many kinds
          detail::warn_once("cached config of \"" + kernel_type + "\": one is not used: " + error.what());
        }
      }
    }
    return configs;
  }

  const std::filesystem::path directory;
  mutable std::mutex mutex;  // also held while files are written, so that memory and disk have one order
  Configs memory;
};

ConfigCache::ConfigCache(std::filesystem::path directory)
    : impl_(std::make_unique<Impl>(std::move(directory))) {}
ConfigCache::~ConfigCache() = default;

std::optional<CachedConfig> ConfigCache::get(const TuneRequest& request) const {
  const auto found_in = [&](const Configs& configs) {
    const auto found = configs.find(request);
    return found == configs.end() ? std::nullopt : std::optional(found->second);
  };
  const std::lock_guard lock(impl_->mutex);
  const std::optional<CachedConfig> known = found_in(impl_->memory);
  return known ? known : found_in(impl_->on_disk(request.kernel_type));
}

std::string ConfigCache::put(const TuneRequest& request, const CachedConfig& config) {
  if (config.time_ns.value_or(0) < 0) {
    throw InvalidArgument("config cache: the time of " + to_string(request) + " is " +
                          std::to_string(*config.time_ns) + " ns: leave it out if it is not known");
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->memory[request] = config;
  if (impl_->directory.empty()) {
    return {};
  }
  const ChoiceSet set = set_of(request, config);
  return ChoiceStore(impl_->directory, set.region).save(set, {set.machines});
}

std::string ConfigCache::clear(const std::optional<std::string>& kernel_type) {
  const std::lock_guard lock(impl_->mutex);
  std::erase_if(impl_->memory,
                [&](const auto& known) { return !kernel_type || known.first.kernel_type == *kernel_type; });
  std::string problems;
  for (const std::string& type : impl_->types_on_disk()) {
    if (!kernel_type || type == *kernel_type) {
      const ChoiceStore store(impl_->directory, region_of(type));
      const std::string problem =
          store.change(store.name_of_sets({detail::this_machine()}),
                       [](storage::RegionFile& file) { return std::erase_if(file.sets, counts) > 0; });
      problems += (problems.empty() || problem.empty() ? "" : "; ") + problem;
    }
  }
  return problems;
}

std::vector<TuneRequest> ConfigCache::get_all_keys() const {
  const std::lock_guard lock(impl_->mutex);
  Configs all = impl_->memory;
  for (const std::string& type : impl_->types_on_disk()) {
    all.merge(impl_->on_disk(type));
  }
  std::vector<TuneRequest> requests;
  std::transform(all.begin(), all.end(), std::back_inserter(requests),
                 [](const auto& config) { return config.first; });
  return requests;
}

const std::filesystem::path& ConfigCache::directory() const noexcept {
  return impl_->directory;
}

}  // namespace contextual
