#include "cache/command.hpp"

#include "cache/choices_text.hpp"
#include "report/format/texts.hpp"
#include "report/format/whole_file.hpp"

#include <contextual/choices.hpp>
#include <contextual/error.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <ostream>
#include <string>
#include <vector>

namespace contextual::cache_tool {
namespace {

using log_report::count_text;
using log_report::FileError;
using log_report::printable;
using log_report::read_whole;
using log_report::write_whole;
using Changes = KeptChoices::Changes;

int tell_problems(const std::vector<std::string>& problems, std::ostream& err) {
  for (const std::string& problem : problems) {
    err << "contextual-cache: " << printable(problem) << "\n";
  }
  return problems.empty() ? exit_fine : exit_problems;
}

int tell_failure(const std::exception& error, ExitCode code, std::ostream& err) {
  err << "contextual-cache: " << printable(error.what()) << "\n";
  return code;
}

/// `noun`: what is counted.
int tell(const Changes& changes, const std::string& noun, const std::string& what, std::ostream& out,
         std::ostream& err) {
  for (const std::string& item : changes.items) {
    out << printable(item) << "\n";
  }
  out << count_text(changes.items.size(), noun) << " " << what << "\n";
  return tell_problems(changes.problems, err);
}

/// Throws InvalidArgument if there is no such set, or more than one.
KeptSet the_set(const KeptChoices& kept, const Command& command) {
  const KeptChoices::Contents contents = kept.list(command.region);
  std::vector<KeptSet> found;
  for (const KeptSet& set : contents.sets) {
    if (set.id.find(command.set) != std::string::npos) {
      found.push_back(set);
    }
  }
  if (found.size() == 1) {
    return found.front();
  }
  std::string names;
  for (const KeptSet& set : found) {
    names += " " + set.id;
  }
  throw InvalidArgument(found.empty() ? "no set is named \"" + command.set + "\"; `list` shows them"
                                      : "more than one set is named \"" + command.set + "\":" + names);
}

PinnedConfig pinned_of(const Command& command) {
  if (command.key && command.key->empty()) {
    throw InvalidArgument("--key is empty: leave it out to pin every key");
  }
  PinnedConfig pinned;
  pinned.region = command.region.value_or("");
  pinned.kernel = command.kernel.value_or("");
  pinned.key = command.key.value_or("");
  if (!command.config.empty()) {
    pinned.config = Config::from_json(command.config);
  }
  if (command.config_id) {
    pinned.config_id = static_cast<std::size_t>(*command.config_id);
  }
  return pinned;
}

void note_unknown(const KeptChoices& kept, const PinnedConfig& pinned, std::ostream& err) {
  const auto is_meant = [&](const KeptConfig& config) {
    return config.kernel == pinned.kernel &&
           (pinned.key.empty() || config.key == pinned.key || config.key.starts_with(pinned.key + " in "));
  };
  const std::vector<KeptSet> sets = kept.list(pinned.region).sets;
  const bool known = std::any_of(sets.begin(), sets.end(), [&](const KeptSet& set) {
    return std::any_of(set.configs.begin(), set.configs.end(), is_meant);
  });
  if (!known) {
    err << "note: no kept set of region \"" << printable(pinned.region) << "\" has kernel \""
        << printable(pinned.kernel) << (pinned.key.empty() ? "\"" : "\" with key " + printable(pinned.key))
        << ": what is misspelled pins nothing\n";
  }
}

/// Pins what `set` has chosen. Throws InvalidArgument if the set has no such kernel.
Changes pin_set(const KeptChoices& kept, const KeptSet& set, const Command& command) {
  const bool has_kernel = std::any_of(set.configs.begin(), set.configs.end(), [&](const KeptConfig& config) {
    return !command.kernel || config.kernel == *command.kernel;
  });
  if (!has_kernel) {
    throw InvalidArgument("set " + set.id + " has no kernel or coupling \"" + command.kernel.value_or("") +
                          "\"");
  }
  return kept.pin(set, command.kernel);
}

/// Pins the config that the command names. Throws InvalidArgument if it names none, or two, or an empty key.
/// Notes in `err` where no kept set has what was pinned: it may be misspelled, or not tuned yet.
Changes pin_config(const KeptChoices& kept, const Command& command, std::ostream& err) {
  const PinnedConfig pinned = pinned_of(command);
  Changes changes = kept.pin(pinned);
  note_unknown(kept, pinned, err);
  return changes;
}

int list(const KeptChoices& kept, const Command& command, std::ostream& out, std::ostream& err) {
  const KeptChoices::Contents contents = kept.list(command.region);
  out << (command.json ? json_text(contents) : list_text(contents));
  return tell_problems(contents.problems, err);
}

int show(const KeptChoices& kept, const Command& command, std::ostream& out) {
  const KeptSet set = the_set(kept, command);
  if (command.json) {
    KeptChoices::Contents contents;
    contents.sets.push_back(set);
    out << json_text(contents);
  } else {
    out << show_text(set);
  }
  return exit_fine;
}

int prune(const KeptChoices& kept, const Command& command, std::ostream& out, std::ostream& err) {
  KeptChoices::Prune what;
  what.dry_run = command.dry_run;
  if (command.older_than_days) {
    what.older_than = std::chrono::hours(24) * *command.older_than_days;
  }
  return tell(kept.prune(what), "item", command.dry_run ? "would be removed" : "removed", out, err);
}

int write_export(const KeptChoices& kept, const Command& command, std::ostream& out, std::ostream& err) {
  const KeptChoices::Exported exported = kept.export_choices(command.region);
  if (!command.to.empty()) {
    const int told = tell(KeptChoices(command.to).import_choices(exported.text), "set", "written", out, err);
    return std::max(told, tell_problems(exported.problems, err));
  }
  if (command.file.empty()) {
    out << exported.text;
  } else {
    write_whole(command.file, exported.text);
  }
  return tell_problems(exported.problems, err);
}

int read_import(const KeptChoices& kept, const Command& command, std::istream& in, std::ostream& out,
                std::ostream& err) {
  const std::string text =
      command.file.empty() ? read_whole(in, "the standard input") : read_whole(command.file);
  return tell(kept.import_choices(text), "set", "written", out, err);
}

int carry_out(const Command& command, std::istream& in, std::ostream& out, std::ostream& err) {
  const KeptChoices kept(command.directory);
  switch (command.verb) {
    case Verb::list:
      break;
    case Verb::show:
      return show(kept, command, out);
    case Verb::prune:
      return prune(kept, command, out, err);
    case Verb::forget:
      return tell(kept.forget(command.region.value_or(""), command.kernel), "item", "removed", out, err);
    case Verb::export_choices:
      return write_export(kept, command, out, err);
    case Verb::import_choices:
      return read_import(kept, command, in, out, err);
    case Verb::pin:
      return tell(command.set.empty() ? pin_config(kept, command, err)
                                      : pin_set(kept, the_set(kept, command), command),
                  "pin", "written", out, err);
    case Verb::unpin:
      return tell(kept.unpin(command.region.value_or(""), command.kernel), "pin", "removed", out, err);
  }
  return list(kept, command, out, err);
}

}  // namespace

int run_command(const Command& command, std::istream& in, std::ostream& out, std::ostream& err) {
  if (command.directory.empty()) {
    err << "contextual-cache: no directory: give one by --dir, or set CONTEXTUAL_CACHE_DIR\n";
    return exit_not_found;
  }
  int code = exit_fine;
  try {
    code = carry_out(command, in, out, err);
  } catch (const Error& error) {
    code = tell_failure(error, exit_not_found, err);
  } catch (const FileError& error) {
    code = tell_failure(error, exit_problems, err);
  }
  if (!out.flush()) {  // a full device says so only now
    err << "contextual-cache: the output cannot be written\n";
    return code == exit_fine ? exit_problems : code;
  }
  return code;
}

}  // namespace contextual::cache_tool
