#pragma once

/// \file
/// Choices that outlive the process: reads and installs them.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/agreement/problem_set.hpp"
#include "contextual/agreement/region_agreement.hpp"
#include "contextual/launch/made_ready.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/choice_set.hpp"
#include "contextual/storage/pin.hpp"
#include "contextual/tuning/set_fit.hpp"

#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// What keeps a rank from using a set.
struct Unusable {
  bool anything = false;
  KeptStanding standing = KeptStanding::counts;  ///< otherwise it is a kernel or the search
  std::string reason{};                          ///< empty for what this process has chosen already
  bool open = false;  ///< a higher search goes on from it, or this process has chosen
};

/// Rank 0's kept sets of choices, and what this rank makes of them.
struct KeptSets {
  std::vector<storage::Pin> pins;
  std::vector<storage::ChoiceSet> by_precedence;  ///< the own ones first, each the newest first
  agreement::KeptOutcome outcome;
  std::vector<detail::Machine> machines{};  ///< of all ranks, as they are now
  SearchLevel search = SearchLevel::off;    ///< that is asked for: what a lower one has chosen is left out
  std::vector<Unusable> unusable{};         ///< by set
};

/// Finds the sets that were made on ranks, machines and kernels like these, without a problem that has a
/// lasting choice already. Loads the defaults of all kernels and the configs of these sets, as a tuning run
/// does, but nothing that only other ranks launch. Keeps what a kernel's `load` throws:
/// DeviceError as the rank's failure, anything else makes the set unusable. A pin that cannot be launched is
/// the rank's failure, too. `versions_count`: see Surroundings. `made_ready` says meanwhile
/// which config is being loaded.
KeptSets look_at_kept_choices(std::uint32_t region_id, std::size_t rank, const agreement::Hello& hello,
                              bool versions_count, SearchLevel search, detail::MadeReady& made_ready);

/// What is in force then.
struct InstalledChoices {
  RegionReport report;                         ///< alike on all ranks
  bool more_than_pins = false;                 ///< some rank has a choice that is not pinned
  SearchLevel search = SearchLevel::thorough;  ///< the lowest that has found one of them
};

/// Pins what is pinned, and locks in the first set that all ranks can use. Collective.
///
/// Returns nothing, on all ranks, if there is no such set and no pin. Kernels that do not exist yet are
/// looked at when they do: a kernel with another config space or version has no choice.
///
/// Afterwards, `sets.outcome.usable` says what all ranks can use. Throws on all ranks if one has failed;
/// RankMismatchError and CommunicationError.
std::optional<InstalledChoices> install_kept_choices(agreement::Exchange& exchange, const std::string& region,
                                                     std::uint32_t region_id, KeptSets& sets);

/// Returns the first few sets that some rank cannot use, for example because they were made on another
/// machine, each as JSON. Equal on all ranks.
std::vector<std::string> unusable_sets(const KeptSets& sets);

/// Returns such sets as starting points of a search. Leaves out what is none.
std::vector<agreement::StartingPoint> starting_points_of(const std::vector<std::string>& sets);

}  // namespace contextual::tuning
