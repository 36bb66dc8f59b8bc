#pragma once

/// \file
/// KeptChoices: what is kept in a cache directory, to look at and to manage. docs/cache.md says what it is
/// for; the program `contextual-cache` does the same on the command line.

#include <contextual/config.hpp>
#include <contextual/export.hpp>
#include <contextual/search.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual {

/// What is kept for one kernel and key.
struct KeptConfig {
  std::string kernel{};  ///< or the coupling
  std::string key{};
  Config config{};
  std::size_t config_id = 0;
  std::size_t config_count = 1;  ///< of the kernel's config space
  std::string reason{};
  std::optional<std::int64_t> time_ns{};         ///< its own time in the walk
  std::optional<std::int64_t> time_spread_ns{};  ///< of that, as TimeSummary::spread_ns
  /// What it belongs to: KernelOptions::version, or the module that defines the kernel, with the beginning of
  /// its build id: "version 2", "train 1f3a5c7e". Of a coupling, those of its kernels.
  std::string belongs_to{};
};

/// What could not be run when a set was chosen.
struct KeptInfeasible {
  std::string what{};  ///< the configs together, or one config that fails by itself
  std::string reason{};
  bool operator==(const KeptInfeasible&) const = default;
};

/// Whether a set counts for a process like this one and with its environment. If it does not for several
/// reasons, the last one of these.
enum class KeptStanding {
  counts,           ///< for a program whose kernels have the config spaces and code that they had
  other_versions,   ///< only versions of software differ, and CONTEXTUAL_VERSION_CHECK=0 is not set
  other_pins,       ///< it was chosen beside pins, and other ones, or none, are there now
  another_machine,  ///< this one differs from the set's, or its settings do
  in_quarantine,    ///< for a program whose kernels are as they were: it has twice ended a process
};

/// Choices of a region that were made beside one another.
struct KeptSet {
  std::string region{};
  std::string id{};              ///< a digest, as text
  std::filesystem::path file{};  ///< of the region and the kind of machine, also with other sets
  std::string written{};         ///< when, in UTC
  std::vector<std::map<std::string, std::string>> machines{};  ///< by rank: the value of each part
  std::optional<std::int64_t> makespan_ns{};                   ///< of the region with them
  std::vector<KeptConfig> configs{};
  std::optional<std::int64_t> makespan_spread_ns{};  ///< as TimeSummary::spread_ns
  std::vector<KeptInfeasible> infeasible{};          ///< the first 64
  SearchLevel search = SearchLevel::off;             ///< the highest that was asked for
  KeptStanding standing = KeptStanding::counts;
};

/// What a person has fixed: see docs/cache.md.
struct PinnedConfig {
  std::string region{};
  std::filesystem::path file{};  ///< of the region's pins
  std::string kernel{};          ///< or the coupling
  /// As reports have it; empty: every key. One of more than Key::capacity words is found by it in the choices
  /// that are kept for the region.
  std::string key{};
  std::optional<Config> config{};          ///< with all names and values
  std::optional<std::size_t> config_id{};  ///< instead, and always for a coupling
};

/// Where the machine of a set and this one differ, in what the set says: a program that uses no GPU says
/// nothing of them.
struct MachineDifference {
  int rank = 0;
  std::string part{};                 ///< e.g. "processor"
  std::optional<std::string> then{};  ///< nothing if the set does not describe the part
  std::optional<std::string> now{};   ///< nothing if this process knows nothing of the part
  bool version = false;               ///< CONTEXTUAL_VERSION_CHECK=0 accepts the difference
  /// False where only the program can say whether it differs: it is the version of a library that this
  /// process does not use.
  bool counts = true;
};

/// The choices in one cache directory. A file is read, changed and removed only where a run would read it:
/// see "Who may write there" in docs/cache.md. Other processes may use the directory at the same time.
/// Nothing here is collective; call it on one rank. Thread-safe.
class CONTEXTUAL_API KeptChoices {
 public:
  /// `directory` is that of Options::cache_directory. Touches no file.
  explicit KeptChoices(std::filesystem::path directory);

  struct Contents {
    std::vector<KeptSet> sets;          ///< by region, the newest first
    std::vector<PinnedConfig> pins;     ///< by region, as the file has them
    std::vector<std::string> problems;  ///< what is not used, and why
  };
  /// Returns what is kept of one region, or of all.
  Contents list(const std::optional<std::string>& region = {}) const;

  /// What a call has removed or written, and what went wrong.
  struct Changes {
    std::vector<std::string> items;  ///< each set, pin and other file, by name
    std::vector<std::string> problems;
  };

  struct Prune {
    /// Also removes sets that count, if they are older, and what tunings have left to which nobody has
    /// written for so long, with their quarantine (docs/resuming.md). Leaves what a process uses.
    std::optional<std::chrono::seconds> older_than{};
    bool dry_run = false;  ///< only says what would be removed
  };
  /// Removes damaged sets and what writers have left that ended more than an hour ago while they wrote.
  /// Leaves pins.
  Changes prune(const Prune& what) const;

  /// Removes the sets of a region, and what its tunings have left, with their quarantine, unless a process
  /// uses it. With a kernel or coupling, removes only the sets in which it is: a set was chosen together, and
  /// is removed as a whole. Leaves pins.
  Changes forget(const std::string& region, const std::optional<std::string>& kernel = {}) const;

  struct Exported {
    std::string text;                   ///< JSON
    std::vector<std::string> problems;  ///< what is not in it, and why
  };
  /// Returns the sets of one region, or of all, that count here or on another machine: which are not in
  /// quarantine, and were not chosen beside other pins than there are. Leaves out pins.
  Exported export_choices(const std::optional<std::string>& region = {}) const;
  /// Adds the sets of such a text that no newer one replaces, as old as they are. Throws InvalidArgument, and
  /// writes nothing, if the text or a digest in it is damaged.
  Changes import_choices(std::string_view text) const;

  /// Pins what a set, as `list` has returned it, has chosen: all of it, or what it has for this kernel.
  Changes pin(const KeptSet& set, const std::optional<std::string>& kernel = {}) const;
  /// Pins one config; `file` is ignored. Replaces the pin of the same kernel and key.
  /// Throws InvalidArgument without region, kernel or config, and for a key behind whose closing bracket
  /// there is more: an alternative, which only a kept set can say.
  Changes pin(const PinnedConfig& pinned) const;
  /// Removes the pins of a region, or those of this kernel or coupling.
  Changes unpin(const std::string& region, const std::optional<std::string>& kernel = {}) const;

  /// Returns where the set's machines differ from the one of this process, which stands for all ranks.
  static std::vector<MachineDifference> differences(const KeptSet& set);

 private:
  std::filesystem::path directory_;
};

}  // namespace contextual
