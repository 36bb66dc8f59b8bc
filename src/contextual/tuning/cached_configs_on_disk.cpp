#include "contextual/tuning/cached_configs_on_disk.hpp"

#include "contextual/config/utf8_text.hpp"
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
  entry.machines = {detail::machine_text()};
  entry.choices.push_back(std::move(choice));
  return entry;
}

/// Throws InvalidArgument or nlohmann's exceptions if the file is of no ConfigCache.
CachedConfigsOnDisk::Entry cached_of(const ChoiceSet& entry, const std::string& kernel_type) {
  const KeptChoice& choice = entry.choices.at(0);
  const storage::ChosenKernel& kernel = choice.launched.at(0);
  return {request_of(choice.key_text, kernel_type),
          {Config::from_json(choice.config), choice.time_ns, kernel.table_digest, kernel.origin}};
}

/// Whether choices count here that were made on this machine.
class ThisMachine {
 public:
  bool is_of(const ChoiceSet& entry) const {
    if (entry.machines.size() != 1 || entry.choices.size() != 1) {
      return false;
    }
    const bool versions_may_differ = !options::environment().values.version_check.value_or(true);
    return has_versions_of(entry) || (versions_may_differ && fit_of(entry, now_) == Fit::other_versions);
  }
  /// Of such choices.
  bool has_versions_of(const ChoiceSet& entry) const { return fit_of(entry, now_) == Fit::counts; }

 private:
  Surroundings now_{{detail::as_kept(detail::machine_text())}};
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
  const ChoiceStore::Kept kept = ChoiceStore(directory_, region_of(kernel_type)).read();
  for (const std::string& problem : kept.problems) {
    detail::warn_once("cached config: " + problem);
  }
  for (const ChoiceSet& entry : kept.file.sets) {
    if (!machine.is_of(entry)) {
      continue;
    }
    try {
      found.push_back(cached_of(entry, kernel_type));
      if (!machine.has_versions_of(entry)) {
        found.back().caveat = "cached config of \"" + kernel_type + "\": one of " + entry.written +
                              " was made with other versions of the library, the driver, CUDA or NCCL; "
                              "CONTEXTUAL_VERSION_CHECK=0 accepts it";
      }
    } catch (const std::exception& error) {  // nlohmann's are of many kinds
      detail::warn_once("cached config of \"" + kernel_type + "\": a set is not used: " + error.what());
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

std::string CachedConfigsOnDisk::write(const Entry& entry) const {
  return directory_.empty()
             ? std::string()
             : ChoiceStore(directory_, region_of(entry.request.kernel_type)).save(entry_of(entry));
}

std::string CachedConfigsOnDisk::remove(const std::string& kernel_type) const {
  if (directory_.empty()) {
    return {};
  }
  const ThisMachine machine;
  return ChoiceStore(directory_, region_of(kernel_type)).change([&](storage::RegionFile& file) {
    return std::erase_if(file.sets, [&](const ChoiceSet& entry) { return machine.is_of(entry); }) > 0;
  });
}

}  // namespace contextual::tuning
