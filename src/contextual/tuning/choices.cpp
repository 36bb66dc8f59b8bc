#include "contextual/config/utf8_text.hpp"
#include "contextual/options/environment.hpp"
#include "contextual/storage/choice_bundle.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/file_lock.hpp"
#include "contextual/storage/pin_files.hpp"
#include "contextual/storage/region_folders.hpp"
#include "contextual/tuning/run_journal.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/choices.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace contextual {

using storage::ChoiceEntry;
using storage::ChoiceStore;
using storage::KeptChoice;
using tuning::Fit;
using tuning::Surroundings;
using Changes = KeptChoices::Changes;

namespace fs = std::filesystem;

namespace {

std::vector<std::string> regions_of(const fs::path& directory, const std::optional<std::string>& region,
                                    std::vector<std::string>& problems) {
  if (region) {
    return {*region};
  }
  storage::Regions all = storage::regions_in(directory);
  problems.insert(problems.end(), all.problems.begin(), all.problems.end());
  return all.names;
}

KeptSet set_of(const ChoiceStore::Named& named, const fs::path& folder) {
  const ChoiceEntry& entry = named.entry;
  KeptSet set;
  set.region = entry.region;
  set.file = folder / named.file;
  set.written = entry.written;
  set.machines = entry.machines;
  set.makespan_ns = entry.makespan_ns;
  set.makespan_spread_ns = entry.makespan_spread_ns;
  set.superseded = named.superseded;
  for (const KeptChoice& choice : entry.choices) {
    set.configs.push_back({choice.kernel, choice.key_text, Config::from_json(choice.config), choice.config_id,
                           choice.config_count, choice.reason, choice.time_ns, choice.time_spread_ns});
  }
  for (const storage::Infeasible& known : entry.infeasible) {
    set.infeasible.push_back({known.what, known.reason});
  }
  return set;
}

/// Returns the pins of the region.
std::vector<storage::Pin> list_pins(const ChoiceStore& store, const std::string& region,
                                    KeptChoices::Contents& contents) {
  std::vector<storage::Pin> pins;
  for (const ChoiceStore::PinFile& file : store.pin_files()) {
    const storage::ParsedPins parsed = storage::parse_pins(file, region);
    if (file.path == store.path()) {
      continue;  // told with the sets
    }
    if (!parsed.problem.empty()) {
      contents.problems.push_back(parsed.problem);
    }
    for (const storage::Pin& pin : parsed.pins) {
      contents.pins.push_back({region, pin.file, pin.kernel, pin.key_text, pin.config, pin.config_id});
      pins.push_back(pin);
    }
  }
  return pins;
}

void remove(const detail::TrustedFolder& folder, const std::string& file, bool dry_run, Changes& changes) {
  const std::string problem = dry_run ? std::string() : folder.remove(file);
  if (problem.empty()) {
    changes.files.push_back(folder.path() / file);
  } else {
    changes.problems.push_back(problem);
  }
}

/// What of a folder cannot be believed or read.
void note_refusals(const ChoiceStore::Files& files, std::vector<std::string>& problems) {
  problems.insert(problems.end(), files.refusals.begin(), files.refusals.end());
}

bool older(const std::string& file, std::chrono::system_clock::time_point limit) {
  const auto written = storage::written_at(file);
  return written && *written < limit;
}

/// Files that were set aside as damaged, and what writers have left that ended while they wrote.
void prune_left_over(const detail::TrustedFolder& folder, bool dry_run, Changes& changes) {
  for (const std::string& damaged : folder.files(storage::damaged_ending).names) {
    remove(folder, damaged, dry_run, changes);
  }
  for (const std::string& abandoned : folder.abandoned_files()) {
    remove(folder, abandoned, dry_run, changes);
  }
}

void prune_journals(const fs::path& directory, std::chrono::seconds age, bool dry_run, Changes& changes) {
  const fs::path all = storage::journals_folder;
  for (const std::string& name : detail::TrustedFolder(directory, all).folders()) {
    const detail::TrustedFolder folder(directory, all / name);
    for (const std::string& file : folder.files("").names) {
      if (const auto locked = storage::lock_if_old(folder.path() / file, age)) {
        remove(folder, file, dry_run, changes);
      }
    }
  }
}

bool has_kernel(const ChoiceEntry& entry, const std::optional<std::string>& kernel) {
  return !kernel || std::any_of(entry.choices.begin(), entry.choices.end(),
                                [&](const KeptChoice& choice) { return choice.kernel == *kernel; });
}

/// This process, for all ranks.
Surroundings surroundings() {
  return {.machines = {detail::as_kept(detail::machine_text())},
          .stands_for_all = true,
          .versions_count = options::environment().values.version_check.value_or(true)};
}

bool counts_on_its_machines(const ChoiceEntry& entry, Surroundings now) {
  now.machines = entry.machines;
  now.stands_for_all = false;
  return fit_of(entry, now) == Fit::counts;
}

KeptStanding standing_of(const ChoiceStore::Named& named, const Surroundings& now) {
  if (named.superseded) {
    return KeptStanding::superseded;
  }
  switch (fit_of(named.entry, now)) {
    case Fit::counts:
      break;
    case Fit::in_quarantine:
      return KeptStanding::in_quarantine;
    case Fit::other_versions:
      return KeptStanding::other_versions;
    case Fit::other_pins:
      return KeptStanding::other_pins;
    case Fit::another_machine:
    case Fit::other_ranks:
      return KeptStanding::another_machine;
  }
  return KeptStanding::counts;
}

}  // namespace

KeptChoices::KeptChoices(fs::path directory) : directory_(std::move(directory)) {}

KeptChoices::Contents KeptChoices::list(const std::optional<std::string>& region) const {
  Contents contents;
  for (const std::string& name : regions_of(directory_, region, contents.problems)) {
    const ChoiceStore store(directory_, name);
    const ChoiceStore::Files files = store.files();
    const std::size_t first = contents.sets.size();
    for (const ChoiceStore::Named& named : files.entries) {
      contents.sets.push_back(set_of(named, store.path()));
    }
    note_refusals(files, contents.problems);
    for (const ChoiceStore::Damaged& damaged : files.damaged) {
      contents.problems.push_back((store.path() / damaged.file).string() + ": " + damaged.problem);
    }
    Surroundings now = surroundings();
    now.pins = storage::pins_digest(list_pins(store, name, contents));
    now.quarantine = tuning::quarantine_of(directory_, name);
    for (std::size_t i = 0; i < files.entries.size(); ++i) {
      contents.sets[first + i].standing = standing_of(files.entries[i], now);
    }
  }
  if (const std::string& error = options::environment().error; !error.empty()) {
    contents.problems.push_back(error);
  }
  return contents;
}

Changes KeptChoices::prune(const Prune& what) const {
  Changes changes;
  const auto now = std::chrono::system_clock::now();
  const storage::Regions regions = storage::regions_in(directory_);
  changes.problems = regions.problems;
  for (const std::string& unnamed : regions.unnamed) {
    prune_left_over({directory_, fs::path(storage::choices_folder) / unnamed}, what.dry_run, changes);
  }
  for (const std::string& region : regions.names) {
    const ChoiceStore store(directory_, region);
    const ChoiceStore::Files files = store.files();
    note_refusals(files, changes.problems);
    for (const ChoiceStore::Named& named : files.entries) {
      if (named.superseded || (what.older_than && older(named.file, now - *what.older_than))) {
        remove(store.folder(), named.file, what.dry_run, changes);
      }
    }
    prune_left_over(store.folder(), what.dry_run, changes);
  }
  if (what.older_than) {
    prune_journals(directory_, *what.older_than, what.dry_run, changes);
  }
  return changes;
}

Changes KeptChoices::forget(const std::string& region, const std::optional<std::string>& kernel) const {
  Changes changes;
  const ChoiceStore store(directory_, region);
  const ChoiceStore::Files files = store.files();
  note_refusals(files, changes.problems);
  for (const ChoiceStore::Named& named : files.entries) {
    if (has_kernel(named.entry, kernel)) {
      remove(store.folder(), named.file, false, changes);
    }
  }
  return changes;
}

KeptChoices::Exported KeptChoices::export_choices(const std::optional<std::string>& region) const {
  std::vector<storage::BundledEntry> entries;
  Exported exported;
  for (const std::string& name : regions_of(directory_, region, exported.problems)) {
    const ChoiceStore store(directory_, name);
    ChoiceStore::Files files = store.files();
    note_refusals(files, exported.problems);
    Contents pinned;
    const Surroundings now{.pins = storage::pins_digest(list_pins(store, name, pinned)),
                           .quarantine = tuning::quarantine_of(directory_, name)};
    for (ChoiceStore::Named& named : files.entries) {
      if (!named.superseded && counts_on_its_machines(named.entry, now)) {
        entries.push_back({named.file, std::move(named.entry)});
      }
    }
  }
  exported.text = storage::bundle_text(entries);
  return exported;
}

Changes KeptChoices::import_choices(std::string_view text) const {
  std::vector<storage::BundledEntry> entries;
  try {
    entries = storage::parse_bundle(text);
  } catch (const std::exception& error) {  // nlohmann's are of many kinds
    throw InvalidArgument(
        std::string("the choices to be imported are damaged, and nothing of them is written: ") +
        error.what());
  }
  Changes changes;
  for (const storage::BundledEntry& bundled : entries) {
    const ChoiceStore store(directory_, bundled.entry.region);
    if (store.folder().read(bundled.file).text) {
      continue;
    }
    const std::string problem = store.folder().write(bundled.file, to_json(bundled.entry));
    if (problem.empty()) {
      changes.files.push_back(store.path() / bundled.file);
    } else {
      changes.problems.push_back(problem);
    }
  }
  return changes;
}

Changes KeptChoices::pin(const KeptSet& set, const std::optional<std::string>& kernel) const {
  const ChoiceStore store(directory_, set.region);
  const ChoiceStore::Files files = store.files();
  const auto named = std::find_if(
      files.entries.begin(), files.entries.end(),
      [&](const ChoiceStore::Named& candidate) { return candidate.file == set.file.filename(); });
  if (named == files.entries.end()) {
    throw InvalidArgument(set.file.string() + " is no set of region \"" + set.region + "\" any more");
  }
  Changes changes;
  for (const KeptChoice& choice : named->entry.choices) {
    // A pin holds on all ranks, for which one rank's choice need not fit.
    if ((!kernel || choice.kernel == *kernel) && choice.ranks.empty()) {
      write_pin(store, set.region, storage::pin_of(choice), changes);
    }
  }
  return changes;
}

Changes KeptChoices::pin(const PinnedConfig& pinned) const {
  if (pinned.region.empty() || pinned.kernel.empty() || (!pinned.config && !pinned.config_id)) {
    throw InvalidArgument("a pin names a region, a kernel and its config");
  }
  if (const std::string problem = storage::key_text_problem(pinned.key); !problem.empty()) {
    throw InvalidArgument(problem);
  }
  Changes changes;
  const storage::Pin pin{{}, pinned.kernel, pinned.key, {}, {}, pinned.config, pinned.config_id};
  write_pin(ChoiceStore(directory_, pinned.region), pinned.region, pin, changes);
  return changes;
}

Changes KeptChoices::unpin(const std::string& region, const std::optional<std::string>& kernel) const {
  Changes changes;
  remove_pins(ChoiceStore(directory_, region), region, kernel, changes);
  return changes;
}

std::vector<MachineDifference> KeptChoices::differences(const KeptSet& set) {
  ChoiceEntry entry;
  entry.machines = set.machines;
  std::vector<MachineDifference> all;
  for (tuning::PartDifference& found : tuning::differences(entry, surroundings())) {
    all.push_back({found.rank, std::move(found.part), found.then.value_or(""), std::move(found.now),
                   found.version, found.counts});
  }
  return all;
}

}  // namespace contextual
