#pragma once

/// \file
/// Choices that outlive the process: reads, installs and writes them.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/agreement/kept_choices.hpp"
#include "contextual/storage/choice_entry.hpp"
#include "contextual/storage/pin.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/report.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contextual::tuning {

/// What a run reads of the cache directory.
enum class Reads {
  pins,  ///< what no option overrides
  pins_and_choices,
};

/// Returns what is kept of a region, for the hello; an empty text if there is nothing. Choices that cannot be
/// used are named on stderr. Throws nothing but std::bad_alloc.
std::string read_kept_choices(const std::filesystem::path& directory, const std::string& region, Reads what);

/// Whether choices count that were made with other versions of the library and the driver.
enum class Versions {
  must_be_equal,
  may_differ,  ///< a warning on stderr says that they do
};

/// Rank 0's kept sets of choices, and what this rank makes of them.
struct KeptSets {
  std::vector<storage::Pin> pins;
  std::vector<storage::ChoiceEntry> newest_first;
  agreement::KeptOutcome outcome;
};

/// Finds the sets that were made on ranks, machines and kernels like these, without a problem that has a
/// lasting choice already. Loads the defaults of all kernels and the configs of these sets, as a tuning run
/// does. Keeps what a kernel's `prepare` throws: DeviceError as the rank's failure, anything else makes the
/// set unusable. A pin that cannot be launched is the rank's failure, too.
KeptSets look_at_kept_choices(const std::string& region, std::uint32_t region_id,
                              const agreement::Hello& hello, Versions versions);

/// Pins what is pinned, and locks in the sets that all ranks can use; of those that have problems in common
/// the newest one. Collective.
///
/// Returns the report of the region with them, without problems if there is no such set. Kernels that do not
/// exist yet are looked at when they do: a kernel with another config space or version has no choice.
///
/// Throws on all ranks if one has failed; RankMismatchError and CommunicationError.
RegionReport install_kept_choices(agreement::Exchange& exchange, const std::string& region,
                                  std::uint32_t region_id, const KeptSets& sets);

/// Writes the lasting choices of a run on rank 0, if it has chosen something. `machines` are those of all
/// ranks. Choices of `local` kernels are not written. Returns what went wrong on rank 0, or an empty text.
/// Collective: the ranks tell rank 0 which kernels they have launched. Throws RankMismatchError and
/// CommunicationError.
std::string write_kept_choices(agreement::Exchange& exchange, const std::filesystem::path& directory,
                               const std::string& region, const TuningRun& run,
                               const std::vector<std::string>& machines);

}  // namespace contextual::tuning
