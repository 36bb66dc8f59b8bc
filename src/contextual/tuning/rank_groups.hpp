#pragma once

/// \file
/// The groups of ranks that a tuner has tuned with.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"

#include <contextual/communicator.hpp>
#include <contextual/report.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Returns the scope of region ids, which tells apart what is locked in with different groups of ranks: that
/// of the process for the tuner's own ranks and for single ranks, else a text of this communicator alone.
/// Thread-safe.
std::string scope_of_group(const std::shared_ptr<Communicator>& communicator, const Communicator* own);

/// What a group of ranks knows of a region.
class KnownRegion {
 public:
  /// What the ranks have looked for among what is kept: for pins alone, or also for choices of a search,
  /// which `for_choices` returns.
  static constexpr int for_pins = 1;
  static constexpr int for_choices(SearchLevel search) { return for_pins + 1 + static_cast<int>(search); }
  int looked = 0;
  void note_looked(int what) { looked = std::max(looked, what); }

  /// Of rank 0: the ids of the sets that it has told the others about, in their order, and of those that some
  /// rank could not use, so that nothing of them comes beside what is chosen instead.
  std::vector<std::string> told{};
  std::set<std::string> refused{};

  /// What `load` has installed, until the first run after it. Equal on all ranks.
  std::optional<RegionReport> loaded{};

  /// Returns true if everything that the region launched in its last tuning run has a lasting choice of this
  /// search or a higher one, and nobody has published another choice for the region since.
  bool locked_in(std::uint32_t region_id, SearchLevel search) const;
  void note_locked_in(std::uint32_t region_id, SearchLevel search);
  void forget_locked_in() { locked_in_at_.reset(); }

 private:
  std::optional<std::uint64_t> locked_in_at_;  ///< LaunchRegistry::publications then
  SearchLevel searched_by_ = SearchLevel::off;
};

/// The ranks behind a communicator.
struct RankGroup {
  std::shared_ptr<Communicator> communicator{};  ///< lives as long as its exchange
  std::unique_ptr<agreement::Exchange> exchange{};
  bool met = false;  ///< all of them have met, and agreed on their options
  /// Rank 0 keeps choices, as it has said when the ranks met. In modes use and off they then meet for every
  /// region.
  bool keeps_choices = false;
  std::map<std::string, KnownRegion> regions{};

  void note_met(const agreement::Hello& hello) {
    met = true;
    keeps_choices = keeps_choices || hello.keeps_choices;
  }
};

/// The groups of one tuner. Used under its run lock.
class RankGroups {
 public:
  /// Returns the ranks of the options' communicator.
  RankGroup& of(const options::ResolvedOptions& options);

  /// Returns the exchange over the options' communicator, with the options' deadline. A forked child that
  /// runs alone gets a new exchange. A forked child with peers keeps its parent's, every call of which throws
  /// Error.
  agreement::Exchange& exchange_for(const options::ResolvedOptions& options);

 private:
  std::map<Communicator*, RankGroup> groups_;
};

}  // namespace contextual::tuning
