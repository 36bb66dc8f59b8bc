#include "cache/choices_text.hpp"

#include "report/format/table.hpp"
#include "report/format/texts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace contextual::cache_tool {
namespace {

using log_report::printable;
using log_report::Table;

/// However wide it is: scripts read it by lines.
std::string lines_of(const Table& table) {
  return log_report::table_text(table, log_report::no_limit, 0);
}

std::string time_text(const std::optional<std::int64_t>& time_ns) {
  return time_ns ? log_report::duration_text(static_cast<double>(*time_ns)) : "-";
}

/// "3.010 ms +- 0.021 ms", where the spread is known.
std::string time_text(const std::optional<std::int64_t>& time_ns,
                      const std::optional<std::int64_t>& spread_ns) {
  return time_text(time_ns) + (time_ns && spread_ns ? " +- " + time_text(spread_ns) : "");
}

/// What this member of its configs says, each once.
std::string texts_of(const KeptSet& set, std::string KeptConfig::*member) {
  std::set<std::string> texts;
  std::string all;
  for (const KeptConfig& config : set.configs) {
    const std::string text = (config.*member).empty() ? "-" : config.*member;
    all += texts.insert(text).second ? (all.empty() ? "" : ", ") + text : "";
  }
  return printable(all);
}

std::string config_text(const PinnedConfig& pin) {
  return pin.config ? pin.config->to_string() : "config-" + std::to_string(pin.config_id.value_or(0));
}

std::string header_text(const KeptSet& set) {
  return "region " + printable(set.region) + ", set " + set.id + ", chosen " + printable(set.written) +
         " on " + log_report::count_text(set.machines.size(), "rank") + "\nfile " +
         printable(set.file.string()) + "\nmakespan " + time_text(set.makespan_ns, set.makespan_spread_ns) +
         "\n";
}

/// Each part once, with the first rank that it differs on.
std::string differences_text(const KeptSet& set) {
  std::string text;
  std::set<std::string> told;
  for (const MachineDifference& difference : KeptChoices::differences(set)) {
    if (!told.insert(difference.part).second) {
      continue;
    }
    text += "  " + printable(difference.part) + ": then \"" + printable(difference.then.value_or("")) +
            "\", now " +
            (difference.now ? "\"" + printable(*difference.now) + "\"" : "unknown to this program") +
            " (rank " + std::to_string(difference.rank) + ")";
    text += !difference.counts   ? ", so only a program that uses it can say whether it differs\n"
            : difference.version ? "; CONTEXTUAL_VERSION_CHECK=0 accepts that\n"
                                 : "\n";
  }
  return text;
}

struct StandingWords {
  KeptStanding standing;
  const char* short_text;
  const char* verdict;
};

const StandingWords& words_of(KeptStanding standing) {
  static constexpr std::array<StandingWords, 5> words{
      {{KeptStanding::counts, "fits here",
        "It would be used on machines like this one, by a program with as many ranks whose kernels have the\n"
        "config spaces and code that they had. Only the program can say that.\n"},
       {KeptStanding::in_quarantine, "in quarantine",
        "It would not be used: it is in quarantine, because it has twice ended a process or broken a rank\n"
        "while it ran. `contextual-cache forget` removes both, and other kernels free it.\n"},
       {KeptStanding::other_pins, "other pins",
        "It would not be used: it was chosen beside pins of this region that are others now, or gone.\n"},
       {KeptStanding::another_machine, "another machine",
        "It would not be used here: it was chosen on another machine, or with other settings.\n"},
       {KeptStanding::other_versions, "other versions",
        "It would be used here only with CONTEXTUAL_VERSION_CHECK=0: versions of software differ.\n"}}};
  const auto* const known = std::find_if(
      words.begin(), words.end(), [&](const StandingWords& each) { return each.standing == standing; });
  return known == words.end() ? words.front() : *known;
}

/// Configs that were chosen for the same reason, together.
std::string configs_text(const KeptSet& set) {
  std::vector<std::string> reasons;
  std::map<std::string, std::string> configs;
  for (const KeptConfig& config : set.configs) {
    std::string& text = configs[config.reason];
    if (text.empty()) {
      reasons.push_back(config.reason);
    }
    text += printable(config.kernel) + " " + printable(config.key) + "\n  config-" +
            std::to_string(config.config_id) + " of " + std::to_string(config.config_count) + " " +
            printable(config.config.to_string()) + ", own time " +
            time_text(config.time_ns, config.time_spread_ns) + ", belongs to " +
            printable(config.belongs_to.empty() ? "-" : config.belongs_to) + "\n";
  }
  std::string text;
  for (const std::string& reason : reasons) {
    text += "\n" + configs[reason] + "  because: " + printable(reason) + "\n";
  }
  return text;
}

std::string infeasible_text(const KeptSet& set) {
  std::string text = set.infeasible.empty() ? "" : "\ninfeasible when it was chosen:\n";
  for (const KeptInfeasible& known : set.infeasible) {
    text += "  " + printable(known.what) + ": " + printable(known.reason) + "\n";
  }
  return text;
}

}  // namespace

std::string standing_text(const KeptSet& set) {
  return words_of(set.standing).short_text;
}

std::string list_text(const KeptChoices::Contents& contents) {
  std::string text;
  if (!contents.sets.empty()) {
    Table table{{{"REGION"},
                 {"SET"},
                 {"CHOSEN"},
                 {"RANKS"},
                 {"CONFIGS"},
                 {"MAKESPAN"},
                 {"STANDING"},
                 {"BELONGS TO"},
                 {"KERNELS"}}};
    for (const KeptSet& set : contents.sets) {
      table.add({printable(set.region), set.id, printable(set.written), std::to_string(set.machines.size()),
                 std::to_string(set.configs.size()), time_text(set.makespan_ns), standing_text(set),
                 texts_of(set, &KeptConfig::belongs_to), texts_of(set, &KeptConfig::kernel)});
    }
    text += lines_of(table);
  }
  if (!contents.pins.empty()) {
    Table table{{{"REGION"}, {"PINNED KERNEL"}, {"KEY"}, {"CONFIG"}}};
    for (const PinnedConfig& pin : contents.pins) {
      table.add({printable(pin.region), printable(pin.kernel),
                 pin.key.empty() ? "every key" : printable(pin.key), printable(config_text(pin))});
    }
    text += (text.empty() ? "" : "\n") + lines_of(table);
  }
  if (text.empty()) {
    return contents.problems.empty() ? "Nothing is kept there.\n"
                                     : "Nothing that can be used is kept there.\n";
  }
  return text;
}

std::string show_text(const KeptSet& set) {
  std::string text = header_text(set) + "\n" + words_of(set.standing).verdict + differences_text(set);
  for (std::size_t rank = 0; rank < set.machines.size(); ++rank) {
    const auto first = std::find(set.machines.begin(), set.machines.end(), set.machines[rank]);
    const auto of = static_cast<std::size_t>(first - set.machines.begin());
    text += "machine of rank " + std::to_string(rank);
    if (of < rank) {
      text += ": as rank " + std::to_string(of) + "\n";
      continue;
    }
    text += "\n";
    for (const auto& [part, value] : set.machines[rank]) {
      text += "  " + printable(part) + ": " + printable(value) + "\n";
    }
  }
  return text + configs_text(set) + infeasible_text(set);
}

}  // namespace contextual::cache_tool
