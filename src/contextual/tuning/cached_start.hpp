#pragma once

/// \file
/// How a region starts from what earlier processes have chosen for it.

#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/kept_choices.hpp"
#include "contextual/tuning/rank_groups.hpp"
#include "contextual/tuning/region_call.hpp"
#include "contextual/tuning/run_reports.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/communicator.hpp>
#include <contextual/report.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace contextual::tuning {

/// What a tuning run takes over from kept choices.
struct TakenOver {
  std::optional<RegionReport> to_revalidate{};  ///< installed, and to be compared with the defaults
  std::vector<std::string> starts{};  ///< sets that were not installed, as unusable_sets returns them
};

/// The ranks look for what rank 0 has kept, install it and run the region with it. Used under the tuner's run
/// lock, in every mode. All functions throw what agreement::say_hello and install_kept_choices throw.
class CachedStart {
 public:
  /// All are the tuner's and outlive the object.
  CachedStart(RankGroups& groups, RunReports& reports, Watchdog& watchdog)
      : groups_(groups), reports_(reports), watchdog_(watchdog) {}

  /// In mode tune, the first time that this tuner runs the region: on a rank that has kept choices of it.
  /// Returns true if the region has been run with them and nothing is left to tune.
  bool run_first(const RegionCall& call, TakenOver& taken_over);
  /// On all ranks, after a hello in which rank 0 has told kept choices. `recorder` is that of a run that has
  /// been set up, or null. Returns as `run_first`.
  bool run(const RegionCall& call, const agreement::Hello& hello, record::Recorder* recorder,
           TakenOver& taken_over);

  /// In modes use and off: installs what is kept, in mode off only what is pinned. Collective.
  void meet(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options);
  /// See ContextualAutotuner::load.
  bool load(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options);
  /// Returns what `load` has installed, in the region's first run after it; else nothing. Equal on all ranks.
  std::optional<RegionReport> take_loaded(const std::string& region, const options::ResolvedOptions& options);

 private:
  struct Installed {
    std::optional<InstalledChoices> choices{};
    std::vector<std::string> unusable{};
    std::string tuning_id{};
  };
  Installed install(const std::string& region, std::uint32_t region_id,
                    const options::ResolvedOptions& options, const agreement::Hello& hello);
  Installed look(const std::string& region, std::uint32_t region_id, const options::ResolvedOptions& options);
  void note_looked(const std::string& region, const options::ResolvedOptions& options);
  void report(RegionReport&& kept, const options::ResolvedOptions& options, const std::string& tuning_id,
              record::Recorder* recorder);

  RankGroups& groups_;
  RunReports& reports_;
  Watchdog& watchdog_;
  std::map<std::pair<Communicator*, std::string>, RegionReport> loaded_;
};

}  // namespace contextual::tuning
