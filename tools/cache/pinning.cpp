#include "cache/pinning.hpp"

#include "cache/choices_text.hpp"
#include "report/format/printable.hpp"

#include <contextual/error.hpp>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace contextual::cache_tool {
namespace {

using log_report::printable;

PinnedConfig pinned_of(const Command& command) {
  if (command.key && command.key->empty()) {
    throw InvalidArgument("--key is empty: leave it out to pin every key");
  }
  if (!command.config.empty() && command.config_id) {
    throw InvalidArgument("a pin has one config: give --config or --config-id, not both");
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

}  // namespace

KeptChoices::Changes pin_set(const KeptChoices& kept, const KeptSet& set, const Command& command) {
  if (command.key || !command.config.empty() || command.config_id) {
    throw InvalidArgument(
        "a set is pinned as it was chosen, so SET goes with none of --key, --config and --config-id: name "
        "the "
        "region by --region instead to pin one config");
  }
  const bool has_kernel = std::any_of(set.configs.begin(), set.configs.end(), [&](const KeptConfig& config) {
    return !command.kernel || config.kernel == *command.kernel;
  });
  if (!has_kernel) {
    throw InvalidArgument("set " + set.id + " has no kernel or coupling \"" + command.kernel.value_or("") +
                          "\"");
  }
  return kept.pin(set, command.kernel);
}

KeptChoices::Changes pin_config(const KeptChoices& kept, const Command& command, std::ostream& err) {
  const PinnedConfig pinned = pinned_of(command);
  KeptChoices::Changes changes = kept.pin(pinned);
  note_unknown(kept, pinned, err);
  return changes;
}

}  // namespace contextual::cache_tool
