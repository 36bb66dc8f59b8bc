#pragma once

/// \file
/// How a call of a region begins: with nothing to tune, with kept choices, or as a tuning run.

#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/record/recorder.hpp"
#include "contextual/tuning/kept_choices.hpp"
#include "contextual/tuning/kept_choices_reading.hpp"
#include "contextual/tuning/rank_groups.hpp"
#include "contextual/tuning/run_reports.hpp"
#include "contextual/tuning/tuning_setup.hpp"
#include "contextual/tuning/watchdog.hpp"

#include <contextual/report.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// The tuning run that a call turned out to be.
struct Start {
  std::unique_ptr<TuningSetup> setup{};  ///< null: the region has been run, and nothing is left to tune
  agreement::Hello hello{};
  std::optional<RegionReport> to_revalidate{};   ///< installed choices, to be compared with the defaults
  std::optional<RevalidationReport> compared{};  ///< what a run before this one has found of them
  std::vector<std::string> sets{};  ///< kept but not installed, as unusable_sets returns them: to be searched
};

/// Decides what a call of a region is, and installs what rank 0 has kept. Used under the tuner's run lock.
/// All functions throw what agreement::exchange_hello and install_kept_choices throw.
class RegionStart {
 public:
  /// All are the tuner's and outlive the object.
  RegionStart(RankGroups& groups, RunReports& reports, Watchdog& watchdog)
      : groups_(groups), reports_(reports), watchdog_(watchdog) {}

  /// In mode tune. The ranks meet until they agree on what the call is. Where nothing is left to tune, runs
  /// the region. `sets`: to be searched, too.
  Start begin(const RegionCall& call, std::vector<std::string> sets = {});

  /// In modes use and off, before the region is run: installs what is kept, in mode off only what is pinned.
  /// Where the ranks have not done so yet, it is collective.
  void begin_untuned(const RegionCall& call);

  /// See ContextualAutotuner::load.
  bool load(const RegionCall& call);

 private:
  struct Installed {
    std::optional<InstalledChoices> choices{};
    std::vector<std::string> unusable{};
    std::string tuning_id{};
  };
  KnownRegion& known(const RegionCall& call);
  agreement::Arrival arrival_of(const RegionCall& call, Start& start);
  agreement::Hello meet(const RegionCall& call, agreement::Arrival arrival);
  bool runs_with_kept(const RegionCall& call, Start& start);
  bool runs_plainly(const RegionCall& call);
  /// `search`: the least that kept choices must have been found by.
  Installed install(const RegionCall& call, const agreement::Hello& hello, SearchLevel search);
  /// The ranks meet, and install what any search has found.
  Installed look(const RegionCall& call);
  void report(RegionReport&& kept, const options::ResolvedOptions& options, const std::string& tuning_id,
              record::Recorder* recorder);

  RankGroups& groups_;
  RunReports& reports_;
  Watchdog& watchdog_;
};

}  // namespace contextual::tuning
