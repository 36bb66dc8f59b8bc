#pragma once

/// \file
/// Choices that outlive the process: reads and installs them.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/agreement/kept_choices.hpp"
#include "contextual/storage/choice_entry.hpp"

#include <contextual/report.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Returns what is kept of a region, for the hello; an empty text if there is nothing. What cannot be used is
/// named on stderr. Throws nothing but std::bad_alloc.
std::string read_kept_choices(const std::filesystem::path& directory, const std::string& region);

/// Whether choices count that were made with other versions of the library and the driver.
enum class Versions {
  must_be_equal,
  may_differ,  ///< a warning on stderr says that they do
};

/// Rank 0's kept sets of choices, and what this rank makes of them.
struct KeptSets {
  std::vector<storage::ChoiceEntry> newest_first;
  agreement::KeptOutcome outcome;
};

/// Finds the sets that were made on ranks, machines and kernels like these, without a problem that has a
/// lasting choice already. Loads the defaults of all kernels and the configs of these sets, as a tuning run
/// does. Choices of `local` kernels concern their rank only. Keeps what a kernel's `prepare` throws:
/// DeviceError as the rank's failure, anything else makes the set unusable.
KeptSets look_at_kept_choices(std::uint32_t region_id, std::size_t rank, const agreement::Hello& hello,
                              Versions versions);

/// Locks in the sets that all ranks can use; of those that have problems in common the newest one.
/// Collective.
///
/// Returns the report of the region with those of this rank, or nothing, on all ranks, if there is no such
/// set. Kernels that do not exist yet are looked at when they do: a kernel with another config space or
/// version has no choice.
///
/// Throws on all ranks if one has failed; RankMismatchError and CommunicationError.
std::optional<RegionReport> install_kept_choices(agreement::Exchange& exchange, const std::string& region,
                                                 std::uint32_t region_id, const KeptSets& sets);

}  // namespace contextual::tuning
