#include "contextual/tuning/cached_configs_on_disk.hpp"

#include "contextual/options/environment.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_set.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/detail/config/stable_hash.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/storage/warning.hpp>
#include <contextual/key.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <exception>
#include <string_view>
#include <utility>

namespace contextual::tuning {
namespace {

using storage::ChoiceSet;
using storage::ChoiceStore;
using storage::KeptChoice;

/// Sets the files apart from those of regions.
constexpr std::string_view region_prefix = "config cache: ";

std::string region_of(const std::string& kernel_type) {
  return std::string(region_prefix) + kernel_type;
}

/// The request without its kernel type, as a file has it.
std::string key_text_of(const TuneRequest& request) {
  const nlohmann::ordered_json json{{"problem_size", request.problem_size}, {"device", request.device}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Throws nlohmann's exceptions for another text.
TuneRequest request_of(const std::string& key_text, const std::string& kernel_type) {
  const nlohmann::json json = nlohmann::json::parse(key_text);
  return {json.at("problem_size").get<std::vector<std::int64_t>>(), json.at("device").get<std::string>(),
          kernel_type};
}

ChoiceSet entry_of(const CachedConfigsOnDisk::Entry& cached) {
  const std::string& kernel_type = cached.request.kernel_type;
  const std::string key_text = key_text_of(cached.request);
  const Key key = make_key(detail::StableHash().add(std::string_view(key_text)).value());
  KeptChoice choice;
  choice.kernel = kernel_type;
  choice.key = key;
  choice.key_text = key_text;
  choice.launched = {{kernel_type, cached.config.made_for, cached.config.belongs_to}};
  choice.config = cached.config.config.to_json();
  choice.reason = cached.config.made_for == 0 ? "set by the program" : "chosen by a KernelTuner";
  choice.time_ns = cached.config.time_ns;
  ChoiceSet entry;
  entry.region = region_of(kernel_type);
  entry.written = record::utc_text(std::chrono::system_clock::now());
  entry.machines = {detail::this_machine()};
  entry.choices.push_back(std::move(choice));
  return entry;
}

/// Throws InvalidArgument or nlohmann's exceptions if the choice is of no ConfigCache.
CachedConfigsOnDisk::Entry cached_of(const KeptChoice& choice, const std::string& kernel_type) {
  const storage::ChosenKernel& kernel = choice.launched.at(0);
  return {request_of(choice.key_text, kernel_type),
          {Config::from_json(choice.config), choice.time_ns, kernel.table_digest, kernel.origin}};
}

/// Whether choices count here that were made on this machine.
class ThisMachine {
 public:
  bool is_of(const ChoiceSet& entry) const {
    const bool versions_may_differ = !options::environment().values.version_check.value_or(true);
    return has_versions_of(entry) || (versions_may_differ && fit_of(entry, now_) == Fit::other_versions);
  }
  /// Of such choices.
  bool has_versions_of(const ChoiceSet& entry) const { return fit_of(entry, now_) == Fit::counts; }

 private:
  Surroundings now_{{detail::this_machine()}};
};

}  // namespace

CachedConfigsOnDisk::CachedConfigsOnDisk(std::filesystem::path directory)
    : directory_(std::move(directory)) {}

std::vector<CachedConfigsOnDisk::Entry> CachedConfigsOnDisk::entries(const std::string& kernel_type) const {
  std::vector<Entry> found;
  if (directory_.empty()) {
    return found;
  }
  const ThisMachine machine;
  const ChoiceStore::Kept kept =
      ChoiceStore(directory_, region_of(kernel_type)).read_all(detail::this_machine());
  for (const std::string& problem : kept.problems) {
    detail::warn_once("cached config: " + problem);
  }
  for (const ChoiceSet& entry : kept.file.sets) {
    if (!machine.is_of(entry)) {
      continue;
    }
    const std::string caveat =
        machine.has_versions_of(entry)
            ? std::string()
            : "cached config of \"" + kernel_type + "\": one of " + entry.written +
                  " was made with other versions of the library, the driver, CUDA or NCCL; "
                  "CONTEXTUAL_VERSION_CHECK=0 accepts it";
    for (const KeptChoice& choice : entry.choices) {
      try {
        found.push_back(cached_of(choice, kernel_type));
        found.back().caveat = caveat;
      } catch (const std::exception& error) {  // nlohmann's are of many kinds
        detail::warn_once("cached config of \"" + kernel_type + "\": one is not used: " + error.what());
      }
    }
  }
  return found;
}

std::vector<std::string> CachedConfigsOnDisk::kernel_types() const {
  std::vector<std::string> types;
  if (directory_.empty()) {
    return types;
  }
  for (const std::string& region : storage::regions_in(directory_).names) {
    if (region.starts_with(region_prefix)) {
      types.push_back(region.substr(region_prefix.size()));
    }
  }
  return types;
}

/// Replaces the one of the same request that was made for the same. Others stay: each has a set of its own.
std::string CachedConfigsOnDisk::write(const Entry& entry) const {
  if (directory_.empty()) {
    return {};
  }
  const ChoiceSet added = entry_of(entry);
  const KeptChoice& choice = added.choices[0];
  const auto is_replaced = [&choice](const KeptChoice& old) {
    return problem_digest(old) == problem_digest(choice) && kernels_digest(old) == kernels_digest(choice);
  };
  const ChoiceStore store(directory_, added.region);
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

std::string CachedConfigsOnDisk::remove(const std::string& kernel_type) const {
  if (directory_.empty()) {
    return {};
  }
  const ThisMachine machine;
  const ChoiceStore store(directory_, region_of(kernel_type));
  return store.change(store.name_of_sets({detail::this_machine()}), [&](storage::RegionFile& file) {
    return std::erase_if(file.sets, [&](const ChoiceSet& entry) { return machine.is_of(entry); }) > 0;
  });
}

}  // namespace contextual::tuning
