#include "contextual/tuning/kept_choices_reading.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/lasting_path.hpp"
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

using storage::ChoiceSet;

namespace {

storage::ChoiceStore::Kept told(storage::ChoiceStore::Kept kept) {
  for (const std::string& problem : kept.problems) {
    detail::warn_once(problem);
  }
  return kept;
}

}  // namespace

void warn_of_unused(const ChoiceSet& entry, const std::string& why) {
  detail::warn_once("region \"" + entry.region + "\": choices of " + entry.written + " are not used: " + why);
}

std::vector<ChoiceSet> shipped_sets(const options::ResolvedOptions& options, const std::string& region) {
  std::vector<ChoiceSet> sets;
  for (const std::filesystem::path& directory : options.choices_path) {
    std::error_code ignored;
    const std::filesystem::path folder = storage::lasting_path(directory) / storage::choices_folder;
    if (!std::filesystem::exists(folder, ignored)) {
      detail::warn_once(directory.string() + ", where choices are to be read, has no folder \"" +
                        storage::choices_folder + "\"");
      continue;
    }
    std::vector<ChoiceSet> there = told(storage::ChoiceStore(directory, region).read()).file.sets;
    std::move(there.begin(), there.end(), std::back_inserter(sets));
  }
  return sets;
}

std::string read_kept_choices(const options::ResolvedOptions& options, const std::string& region,
                              Reads what) {
  const bool own = !options.cache_directory.empty();
  const storage::ChoiceStore store(options.cache_directory, region);
  storage::ChoiceStore::Kept kept = own ? told(store.read()) : storage::ChoiceStore::Kept{{region}};
  std::vector<ChoiceSet>& sets = kept.file.sets;
  if (what == Reads::pins) {
    sets.clear();
  } else {
    std::vector<ChoiceSet> shipped = shipped_sets(options, region);
    std::move(shipped.begin(), shipped.end(), std::back_inserter(sets));
    Surroundings now;
    if (own && !options.try_quarantined) {
      now.quarantine = quarantine_of(options.cache_directory, region);
    }
    std::erase_if(sets, [&](const ChoiceSet& entry) {
      const auto unchecked =
          std::find_if(options.outputs.begin(), options.outputs.end(), [&](const Output& output) {
            return std::find(entry.outputs.begin(), entry.outputs.end(), output.name) == entry.outputs.end();
          });
      std::string why = fit_of(entry, now) == Fit::in_quarantine ? misfit_text(entry, now) : std::string();
      if (why.empty() && unchecked != options.outputs.end()) {
        why = "they were made without a look at output \"" + unchecked->name + "\"";
      }
      if (!why.empty()) {
        warn_of_unused(entry, why);
      }
      return !why.empty();
    });
  }
  const bool nothing = kept.file.pins.empty() && sets.empty() && kept.pins_unknown.empty();
  return nothing ? std::string()
                 : agreement::details_text({{"file", to_json(kept.file)},
                                            {"path", store.path().string()},
                                            {"pins_unknown", kept.pins_unknown}});
}

}  // namespace contextual::tuning
