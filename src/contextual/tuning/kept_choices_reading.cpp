#include "contextual/tuning/kept_choices_reading.hpp"

#include "contextual/agreement/details_text.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/lasting_path.hpp"
#include "contextual/tuning/run_journal.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/storage/warning.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace contextual::tuning {

using storage::ChoiceSet;
using storage::ChoiceStore;
using storage::KeptChoice;

namespace {

ChoiceStore::Kept told(ChoiceStore::Kept kept) {
  for (const std::string& problem : kept.problems) {
    detail::warn_once(problem);
  }
  return kept;
}

/// Names an output that the choices were not shown to write.
void leave_out_unchecked(const std::vector<Output>& outputs, ChoiceSet& entry) {
  for (const Output& output : outputs) {
    const std::size_t left_out = std::erase_if(entry.choices, [&](const KeptChoice& choice) {
      return std::find(choice.outputs.begin(), choice.outputs.end(), output.name) == choice.outputs.end();
    });
    if (left_out > 0 && entry.choices.empty()) {
      warn_of_unused(entry, "they were made without a look at output \"" + output.name + "\"");
    }
  }
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
    std::vector<ChoiceSet> there =
        told(ChoiceStore(directory, region).read_all(detail::this_machine())).file.sets;
    std::move(there.begin(), there.end(), std::back_inserter(sets));
  }
  return sets;
}

std::string read_kept_choices(const options::ResolvedOptions& options, const std::string& region, Reads what,
                              KnownRegion& known) {
  const bool own = !options.cache_directory.empty();
  const storage::ChoiceStore store(options.cache_directory, region);
  ChoiceStore::Kept kept = !own                  ? ChoiceStore::Kept{{region}}
                           : what == Reads::pins ? told(store.read_pins())
                                                 : told(store.read_all(detail::this_machine()));
  std::vector<ChoiceSet> sets = std::exchange(kept.file.sets, {});
  known.told.clear();
  if (what == Reads::pins_and_choices) {
    std::vector<ChoiceSet> shipped = shipped_sets(options, region);
    std::move(shipped.begin(), shipped.end(), std::back_inserter(sets));
    Surroundings now;
    if (own) {
      now.quarantine = quarantine_of(options.cache_directory, region);
    }
    for (ChoiceSet& entry : sets) {
      if (standing_of(entry, now) == KeptStanding::in_quarantine) {
        warn_of_unused(entry, misfit_text(entry, now));
        known.refused.insert(id_of(entry));
        continue;
      }
      std::string id = id_of(entry);
      leave_out_unchecked(options.outputs, entry);
      if (!entry.choices.empty()) {
        kept.file.sets.push_back(std::move(entry));
        known.told.push_back(std::move(id));
      }
    }
  }
  if (kept.file.pins.empty() && kept.file.sets.empty() && kept.pins_unknown.empty()) {
    return {};
  }
  return agreement::details_text(
             {{"path", store.path(store.name_of_pins()).string()}, {"pins_unknown", kept.pins_unknown}}) +
         "\n" + to_json(kept.file);
}

}  // namespace contextual::tuning
