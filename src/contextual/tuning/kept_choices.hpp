#pragma once

/// \file
/// Choices that outlive the process: reads, installs and writes them.

#include "contextual/agreement/exchange.hpp"
#include "contextual/agreement/hello.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/tuning_run.hpp"

#include <contextual/report.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Returns what is kept of a region, for the hello; an empty text if there is nothing. What cannot be used is
/// named on stderr.
std::string read_kept_choices(const std::filesystem::path& directory, const std::string& region);

/// Locks in those of rank 0's kept sets of choices that were made on ranks, machines and kernels like these.
/// Before that, their configs are prepared on this rank as in a tuning run. Collective.
///
/// Returns the report of the region with them, without problems if no set can be used. Kernels that do not
/// exist yet are looked at when they do: a kernel with another config space or version has no choice.
RegionReport install_kept_choices(agreement::Exchange& exchange, const std::string& region,
                                  std::uint32_t region_id, const agreement::Hello& hello);

/// Writes the lasting choices of a run of this rank, if it has chosen something. `machines` are those of all
/// ranks. Choices of `local` kernels are not written. Returns what went wrong, or an empty text.
std::string write_kept_choices(const std::filesystem::path& directory, const std::string& region,
                               const TuningRun& run, const std::vector<std::string>& machines);

}  // namespace contextual::tuning
