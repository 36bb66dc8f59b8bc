#include "contextual/options/environment.hpp"
#include "contextual/record/utc_time.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/file_lock.hpp"
#include "contextual/tuning/run_journal.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/choices.hpp>
#include <contextual/detail/storage/machine.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <iterator>
#include <utility>

namespace contextual {

using storage::ChoiceSet;
using storage::ChoiceStore;
using storage::FileOfRegion;
using storage::KeptChoice;
using storage::Pin;
using storage::RegionFile;
using tuning::Surroundings;
using Changes = KeptChoices::Changes;

namespace fs = std::filesystem;

namespace {

/// Of the kernels that the choice is for, each once.
std::string origin_of(const KeptChoice& choice) {
  std::string text;
  for (const storage::ChosenKernel& kernel : choice.launched) {
    if (text.find(kernel.origin) == std::string::npos) {
      text += (text.empty() ? "" : ", ") + kernel.origin;
    }
  }
  return text;
}

KeptSet set_of(const ChoiceSet& entry, const fs::path& file) {
  KeptSet set;
  set.region = entry.region;
  set.id = id_of(entry);
  set.file = file;
  set.written = entry.written;
  set.machines = entry.machines;
  set.search = search_of(entry);
  set.makespan_ns = entry.makespan_ns;
  set.makespan_spread_ns = entry.makespan_spread_ns;
  for (const KeptChoice& choice : entry.choices) {
    set.configs.push_back({choice.kernel, choice.key_text, Config::from_json(choice.config), choice.config_id,
                           choice.config_count, choice.reason, choice.time_ns, choice.time_spread_ns,
                           origin_of(choice)});
  }
  set.infeasible = entry.infeasible;
  return set;
}

std::string name_of(const ChoiceSet& entry) {
  return "set " + id_of(entry) + " of region \"" + entry.region + "\"";
}

std::string name_of(const Pin& pin, const std::string& region) {
  return "kernel \"" + pin.kernel + "\", " + (pin.of_every_key() ? "every key" : "key " + pin.key_text) +
         ", in region \"" + region + "\"";
}

using Names = std::vector<std::string>;

void append(const Names& more, Names& all) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Each once: a region's files may have one in common.
void note(const Names& problems, Names& all) {
  std::copy_if(problems.begin(), problems.end(), std::back_inserter(all), [&](const std::string& problem) {
    return std::find(all.begin(), all.end(), problem) == all.end();
  });
}

/// Has `change` change what is kept in a file: it returns the names of what it has changed.
void change_file(const ChoiceStore& store, const std::string& file_name,
                 const std::function<Names(RegionFile&)>& change, Changes& changes, bool dry_run = false) {
  Names names;
  const std::string problem = store.change(file_name, [&](RegionFile& file) {
    names = change(file);
    return !names.empty() && !dry_run;
  });
  problem.empty() ? append(names, changes.items) : note({problem}, changes.problems);
}

/// Removes the elements for which `goes` returns true. Returns their names, as `name` makes them.
template <typename Element, typename Goes, typename Name>
Names erase_named(std::vector<Element>& elements, const Goes& goes, const Name& name) {
  Names names;
  std::erase_if(elements, [&](const Element& element) {
    const bool erased = goes(element);
    if (erased) {
      names.push_back(name(element));
    }
    return erased;
  });
  return names;
}

/// Damaged ones go in any case.
void remove_sets(const fs::path& directory, const FileOfRegion& of_region,
                 const std::function<bool(const ChoiceSet&)>& goes, Changes& changes, bool dry_run = false) {
  const auto erase = [&](RegionFile& file) {
    Names names(file.damaged.size(), "a damaged set of region \"" + file.region + "\"");
    append(erase_named(file.sets, goes, [](const ChoiceSet& entry) { return name_of(entry); }), names);
    return names;
  };
  change_file(ChoiceStore(directory, of_region.region), of_region.name, erase, changes, dry_run);
}

void remove(const detail::TrustedFolder& folder, const std::string& file, bool dry_run, Changes& changes) {
  const std::string problem = dry_run ? std::string() : folder.remove(file);
  if (problem.empty()) {
    changes.items.push_back((folder.path() / file).string());
  } else {
    changes.problems.push_back(problem);
  }
}

/// What tunings of a region have left, unless a process uses it.
void remove_journals(const fs::path& directory, const std::string& folder_of_region, std::chrono::seconds age,
                     bool dry_run, Changes& changes) {
  const detail::TrustedFolder folder(directory, fs::path(storage::journals_folder) / folder_of_region);
  for (const std::string& file : folder.files("")) {
    if (const auto locked = storage::lock_if_old(folder.path() / file, age)) {
      remove(folder, file, dry_run, changes);
    }
  }
}

/// This process, for all ranks.
Surroundings surroundings() {
  return {.machines = {detail::this_machine()},
          .stands_for_all = true,
          .versions_count = options::environment().values.version_check.value_or(true)};
}

/// The same, with what is known of a region.
Surroundings surroundings(const fs::path& directory, const std::string& region) {
  Surroundings now = surroundings();
  now.pins = storage::pins_digest(ChoiceStore(directory, region).read_pins().file.pins);
  now.quarantine = tuning::quarantine_of(directory, region);
  return now;
}

Pin pin_of(const KeptChoice& choice) {
  Pin pin{{}, choice.kernel, choice.key_text, choice.key, choice.scope, Config::from_json(choice.config), {}};
  if (!choice.coupling.empty()) {
    pin.config_id = choice.config_id;
  }
  return pin;
}

/// Each replaces the one of the same kernel and key.
Changes write_pins(const ChoiceStore& store, const std::string& region, const std::vector<Pin>& pins) {
  const auto write = [&](RegionFile& file) {
    Names names;
    for (const Pin& pin : pins) {
      std::erase_if(file.pins, [&](const Pin& old) {
        return old.kernel == pin.kernel && old.key_text == pin.key_text &&
               old.scope.value_or(0) == pin.scope.value_or(0);
      });
      file.pins.push_back(pin);
      names.push_back(name_of(pin, region));
    }
    return names;
  };
  Changes changes;
  change_file(store, store.name_of_pins(), write, changes);
  return changes;
}

/// Only its words say which a long key is. A choice or a pin of the region has them.
void name_long_key(Pin& pin, const RegionFile& file) {
  const auto look_at = [&pin](const std::string& kernel, const std::string& text,
                              const std::optional<Key>& key, std::optional<std::uint64_t> scope) {
    if (kernel == pin.kernel && text == pin.key_text && key && key->is_digest()) {
      pin.key = key;
      pin.scope = scope;
    }
  };
  for (const Pin& other : file.pins) {
    look_at(other.kernel, other.key_text, other.key, other.scope);
  }
  for (const ChoiceSet& set : file.sets) {
    for (const KeptChoice& choice : set.choices) {
      look_at(choice.kernel, choice.key_text, choice.key, choice.scope);
    }
  }
}

}  // namespace

KeptChoices::KeptChoices(fs::path directory) : directory_(std::move(directory)) {}

KeptChoices::Contents KeptChoices::list(const std::optional<std::string>& region) const {
  Contents contents;
  for (const FileOfRegion& file : storage::files_in(directory_, region, contents.problems)) {
    const ChoiceStore store(directory_, file.region);
    const ChoiceStore::Kept kept = store.read(file.name);
    note(kept.problems, contents.problems);
    const Surroundings now = surroundings(directory_, file.region);
    for (const ChoiceSet& entry : kept.file.sets) {
      contents.sets.push_back(set_of(entry, store.path(file.name)));
      contents.sets.back().standing = standing_of(entry, now);
    }
    for (const Pin& pin : kept.file.pins) {
      contents.pins.push_back(
          {file.region, store.path(file.name), pin.kernel, pin.key_text, pin.config, pin.config_id});
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
  const std::string limit = what.older_than ? record::utc_text(now - *what.older_than) : "";
  for (const FileOfRegion& file : storage::files_in(directory_, {}, changes.problems)) {
    remove_sets(
        directory_, file, [&](const ChoiceSet& entry) { return entry.written < limit; }, changes,
        what.dry_run);
  }
  const detail::TrustedFolder folder(directory_, storage::choices_folder);
  for (const std::string& abandoned : folder.abandoned_files()) {
    remove(folder, abandoned, what.dry_run, changes);
  }
  if (what.older_than) {
    for (const std::string& of_region :
         detail::TrustedFolder(directory_, storage::journals_folder).files("")) {
      remove_journals(directory_, of_region, *what.older_than, what.dry_run, changes);
    }
  }
  return changes;
}

Changes KeptChoices::forget(const std::string& region, const std::optional<std::string>& kernel) const {
  Changes changes;
  const auto goes = [&](const ChoiceSet& entry) {
    return !kernel || std::any_of(entry.choices.begin(), entry.choices.end(),
                                  [&](const KeptChoice& choice) { return choice.kernel == *kernel; });
  };
  for (const FileOfRegion& file : storage::files_in(directory_, region, changes.problems)) {
    remove_sets(directory_, file, goes, changes);
  }
  if (!kernel) {
    remove_journals(directory_, storage::file_name_of(region), {}, false, changes);
  }
  return changes;
}

KeptChoices::Exported KeptChoices::export_choices(const std::optional<std::string>& region) const {
  Exported exported;
  std::vector<ChoiceSet> sets;
  for (const FileOfRegion& file : storage::files_in(directory_, region, exported.problems)) {
    ChoiceStore::Kept kept = ChoiceStore(directory_, file.region).read(file.name);
    note(kept.problems, exported.problems);
    Surroundings now = surroundings(directory_, file.region);
    now.stands_for_all = false;
    std::copy_if(kept.file.sets.begin(), kept.file.sets.end(), std::back_inserter(sets),
                 [&](const ChoiceSet& entry) {
                   now.machines = entry.machines;
                   return standing_of(entry, now) == KeptStanding::counts;
                 });
  }
  exported.text = storage::list_text(sets);
  return exported;
}

Changes KeptChoices::import_choices(std::string_view text) const {
  std::vector<ChoiceSet> sets;
  try {
    for (const std::string_view set : storage::texts_in(text)) {
      sets.push_back(storage::entry_of(set));
    }
  } catch (const std::exception& error) {  // nlohmann's are of many kinds
    throw InvalidArgument(
        std::string("the choices to be imported are damaged, and nothing of them is written: ") +
        error.what());
  }
  Changes changes;
  for (const ChoiceSet& entry : sets) {
    const ChoiceStore store(directory_, entry.region);
    const auto add = [&](RegionFile& file) {
      return storage::add_by_age(file.sets, entry) ? Names{name_of(entry)} : Names();
    };
    change_file(store, store.name_of_sets(entry.machines), add, changes);
  }
  return changes;
}

Changes KeptChoices::pin(const KeptSet& set, const std::optional<std::string>& kernel) const {
  const ChoiceStore store(directory_, set.region);
  const ChoiceStore::Kept kept = store.read_all();
  const auto entry = std::find_if(kept.file.sets.begin(), kept.file.sets.end(),
                                  [&](const ChoiceSet& candidate) { return id_of(candidate) == set.id; });
  if (entry == kept.file.sets.end()) {
    throw InvalidArgument("region \"" + set.region + "\" has no set " + set.id + " any more");
  }
  std::vector<Pin> pins;
  for (const KeptChoice& choice : entry->choices) {
    // A pin holds on all ranks, for which one rank's choice need not fit.
    if ((!kernel || choice.kernel == *kernel) && choice.ranks.empty()) {
      pins.push_back(pin_of(choice));
    }
  }
  return write_pins(store, set.region, pins);
}

Changes KeptChoices::pin(const PinnedConfig& pinned) const {
  if (pinned.region.empty() || pinned.kernel.empty() || (!pinned.config && !pinned.config_id)) {
    throw InvalidArgument("a pin names a region, a kernel and its config");
  }
  if (const std::string problem = storage::key_text_problem(pinned.key); !problem.empty()) {
    throw InvalidArgument(problem);
  }
  Pin pin{{}, pinned.kernel, pinned.key, {}, {}, pinned.config, pinned.config_id};
  const ChoiceStore store(directory_, pinned.region);
  name_long_key(pin, store.read_all().file);
  return write_pins(store, pinned.region, {pin});
}

Changes KeptChoices::unpin(const std::string& region, const std::optional<std::string>& kernel) const {
  const auto erase = [&](RegionFile& file) {
    return erase_named(
        file.pins, [&](const Pin& pin) { return !kernel || pin.kernel == *kernel; },
        [&](const Pin& pin) { return name_of(pin, region); });
  };
  const ChoiceStore store(directory_, region);
  Changes changes;
  change_file(store, store.name_of_pins(), erase, changes);
  return changes;
}

std::vector<MachineDifference> KeptChoices::differences(const KeptSet& set) {
  ChoiceSet entry;
  entry.machines = set.machines;
  return tuning::differences(entry, surroundings());
}

}  // namespace contextual
