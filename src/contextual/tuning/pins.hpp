#pragma once

/// \file
/// What is pinned in a region: checks, prepares and installs it.

#include "contextual/launch/made_ready.hpp"
#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/pin.hpp"

#include <contextual/report.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Throws InvalidArgument, which names the file, if two pins are for the same problems.
void check_pins(const std::vector<storage::Pin>& pins);

/// Loads what the pins launch, as far as the kernels exist: with the key where a pin gives its words. Throws
/// InvalidArgument, which names the file, if a kernel has no such config, or what was pinned cannot be
/// prepared; and DeviceError. `made_ready` says meanwhile which config is being loaded.
void prepare_pins(const std::vector<storage::Pin>& pins, detail::MadeReady& made_ready);

/// Replaces what is pinned in the region. Returns what a report says of it.
std::vector<ProblemReport> install_pins(std::uint32_t region_id, const std::vector<storage::Pin>& pins);

/// Returns what is to be said, after a run of the region, of pins that no launch of it has used on rank 0,
/// which has read them; of each pin once in a process. Leaves out those of kernels that other ranks may have
/// launched instead. Nothing on other ranks.
std::vector<std::string> take_unused_pin_warnings(std::uint32_t region_id,
                                                  const options::ResolvedOptions& options);

}  // namespace contextual::tuning
