#include "contextual/tuning/kept_choices_reading.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/tuning/pins.hpp"
#include "contextual/tuning/run_journal.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/detail/storage/warning.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace contextual::tuning {

using storage::ChoiceEntry;

namespace {

std::vector<ChoiceEntry> told(storage::ChoiceStore::Kept kept) {
  for (const std::string& problem : kept.problems) {
    detail::warn_once(problem);
  }
  return std::move(kept.entries);
}

}  // namespace

void warn_of_unused(const ChoiceEntry& entry, const std::string& why) {
  detail::warn_once("region \"" + entry.region + "\": choices of " + entry.written + " are not used: " + why);
}

std::vector<ChoiceEntry> shipped_sets(const options::ResolvedOptions& options, const std::string& region) {
  std::vector<ChoiceEntry> sets;
  for (const std::filesystem::path& directory : options.choices_path) {
    std::error_code ignored;
    if (!std::filesystem::exists(directory / storage::choices_folder, ignored)) {
      detail::warn_once(directory.string() + ", where choices are to be read, has no folder \"" +
                        storage::choices_folder + "\"");
      continue;
    }
    std::vector<ChoiceEntry> there = told(storage::ChoiceStore(directory, region).read());
    std::move(there.begin(), there.end(), std::back_inserter(sets));
  }
  return sets;
}

std::string read_kept_choices(const options::ResolvedOptions& options, const std::string& region,
                              Reads what) {
  const bool own = !options.cache_directory.empty();
  nlohmann::json pins =
      own ? told_pins(storage::ChoiceStore(options.cache_directory, region)) : nlohmann::json::array();
  nlohmann::json choices = nlohmann::json::array();
  if (what == Reads::pins_and_choices) {
    Surroundings now;
    if (own && !options.try_quarantined) {
      now.quarantine = quarantine_of(options.cache_directory, region);
    }
    std::vector<ChoiceEntry> sets;
    if (own) {
      sets = told(storage::ChoiceStore(options.cache_directory, region).load());
    }
    std::vector<ChoiceEntry> shipped = shipped_sets(options, region);
    std::move(shipped.begin(), shipped.end(), std::back_inserter(sets));
    for (const ChoiceEntry& entry : sets) {
      const auto unchecked =
          std::find_if(options.outputs.begin(), options.outputs.end(), [&](const Output& output) {
            return std::find(entry.outputs.begin(), entry.outputs.end(), output.name) == entry.outputs.end();
          });
      if (fit_of(entry, now) == Fit::in_quarantine) {
        warn_of_unused(entry, misfit_text(entry, now));
      } else if (unchecked != options.outputs.end()) {
        warn_of_unused(entry, "they were made without a look at output \"" + unchecked->name + "\"");
      } else {
        choices.push_back(to_json(entry));
      }
    }
  }
  const bool nothing = pins.empty() && choices.empty();
  return nothing ? std::string()
                 : agreement::details_text({{"pins", std::move(pins)}, {"choices", std::move(choices)}});
}

}  // namespace contextual::tuning
