#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_fields.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/config_cache.hpp>
#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/error.hpp>
#include <contextual/key.hpp>

#include <chrono>
#include <exception>
#include <functional>
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

using Cached = std::pair<TuneRequest, CachedConfig>;

/// Throws InvalidArgument or nlohmann's exceptions if the choice is of no ConfigCache.
Cached cached_of(const KeptChoice& choice, const std::string& kernel_type) {
  const nlohmann::json request = nlohmann::json::parse(choice.key_text);
  return {{request.at("problem_size").get<std::vector<std::int64_t>>(),
           request.at("device").get<std::string>(), kernel_type},
          {Config::from_json(choice.config), choice.time_ns, choice.launched.at(0).origin}};
}

/// Chosen on another machine. Versions of software do not count: a KernelTuner asks for them itself.
bool is_foreign(const ChoiceSet& set) {
  return tuning::standing_of(set, {.machines = {detail::this_machine()}, .versions_count = false}) !=
         KeptStanding::counts;
}

}  // namespace

struct ConfigCache::Impl {
  explicit Impl(std::filesystem::path of) : directory(std::move(of)) {}

  /// Calls `take` with what counts on the disk of a kernel type, the newest first, until it returns true.
  template <typename Take>
  void each_on_disk(const std::string& kernel_type, const Take& take) const {
    ChoiceStore::Kept kept{{}};
    if (!directory.empty()) {
      kept = ChoiceStore(directory, region_of(kernel_type)).read_all(detail::this_machine());
    }
    for (const std::string& problem : kept.problems) {
      detail::warn_once("cached config: " + problem);
    }
    std::erase_if(kept.file.sets, is_foreign);
    for (const ChoiceSet& set : kept.file.sets) {
      for (const KeptChoice& choice : set.choices) {
        try {
          if (take(cached_of(choice, kernel_type))) {
            return;
          }
        } catch (const std::exception& error) {  // nlohmann's are of many kinds
          detail::warn_once("cached config of \"" + kernel_type + "\": one is not used: " + error.what());
        }
      }
    }
  }

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

  /// Replaces the one of the same request. Others stay: each has a set of its own.
  std::string write(const ChoiceSet& added) const {
    const auto is_replaced = [of = problem_digest(added.choices[0])](const KeptChoice& old) {
      return problem_digest(old) == of;
    };
    const ChoiceStore store(directory, added.region);
    return store.change(store.name_of_sets(added.machines), [&](storage::RegionFile& file) {
      for (ChoiceSet& set : file.sets) {
        if (set.machines == added.machines) {
          std::erase_if(set.choices, is_replaced);
        }
      }
      std::erase_if(file.sets, [](const ChoiceSet& set) { return set.choices.empty(); });
      file.sets.insert(file.sets.begin(), added);
      return true;
    });
  }

  const std::filesystem::path directory;
  mutable std::mutex mutex;  // also held while files are written, so that memory and disk have one order
  std::map<TuneRequest, CachedConfig, ByTypeThenSize> memory;
};

ConfigCache::ConfigCache(std::filesystem::path directory)
    : impl_(std::make_unique<Impl>(std::move(directory))) {}
ConfigCache::~ConfigCache() = default;

std::optional<CachedConfig> ConfigCache::get(const TuneRequest& request) const {
  const std::lock_guard lock(impl_->mutex);
  if (const auto known = impl_->memory.find(request); known != impl_->memory.end()) {
    return known->second;
  }
  std::optional<CachedConfig> config;
  impl_->each_on_disk(request.kernel_type, [&](const Cached& cached) {
    config = cached.first == request ? std::optional(cached.second) : std::nullopt;
    return config.has_value();
  });
  return config;
}

std::string ConfigCache::set(const TuneRequest& request, const CachedConfig& config) {
  if (config.time_ns.value_or(0) < 0) {
    throw InvalidArgument("config cache: the time of " + to_string(request) + " is " +
                          std::to_string(*config.time_ns) + " ns: leave it out if it is not known");
  }
  const std::lock_guard lock(impl_->mutex);
  impl_->memory[request] = config;
  return impl_->directory.empty() ? std::string() : impl_->write(set_of(request, config));
}

std::string ConfigCache::clear(const std::optional<std::string>& kernel_type) {
  const std::lock_guard lock(impl_->mutex);
  std::erase_if(impl_->memory,
                [&](const auto& known) { return !kernel_type || known.first.kernel_type == *kernel_type; });
  std::string problems;
  for (const std::string& type : impl_->types_on_disk()) {
    if (!kernel_type || type == *kernel_type) {
      const ChoiceStore store(impl_->directory, region_of(type));
      const std::string problem = store.change(
          store.name_of_sets({detail::this_machine()}),
          [](storage::RegionFile& file) { return std::erase_if(file.sets, std::not_fn(is_foreign)) > 0; });
      problems += (problems.empty() || problem.empty() ? "" : "; ") + problem;
    }
  }
  return problems;
}

std::vector<TuneRequest> ConfigCache::get_all_keys() const {
  const std::lock_guard lock(impl_->mutex);
  std::set<TuneRequest, ByTypeThenSize> requests;
  for (const auto& [request, configs] : impl_->memory) {
    requests.insert(request);
  }
  for (const std::string& type : impl_->types_on_disk()) {
    impl_->each_on_disk(type, [&](const Cached& cached) { return requests.insert(cached.first), false; });
  }
  return {requests.begin(), requests.end()};
}

const std::filesystem::path& ConfigCache::directory() const noexcept {
  return impl_->directory;
}

}  // namespace contextual
