#pragma once

/// \file
/// What is pinned in a region: reads, tells, prepares and installs it.

#include "contextual/options/resolved_options.hpp"
#include "contextual/storage/choice_store.hpp"
#include "contextual/storage/pin.hpp"
#include "contextual/tuning/made_ready.hpp"

#include <contextual/report.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contextual::tuning {

/// Returns the pin files of a region, for the other ranks; an empty list if there are none.
nlohmann::json told_pins(const storage::ChoiceStore& store);

/// Returns what rank 0 has told of them in its hello. Throws InvalidArgument, which names the file, if a file
/// cannot be believed or read, or if two pins are for the same problems.
std::vector<storage::Pin> pins_of(const std::string& kept_text, const std::string& region);

/// Loads what the pins launch, as far as the kernels exist: with the key where a pin gives its words. Throws
/// InvalidArgument, which names the file, if a kernel has no such config, or what was pinned cannot be
/// prepared; and DeviceError. `made_ready` says meanwhile which config is being loaded.
void prepare_pins(const std::vector<storage::Pin>& pins, MadeReady& made_ready);

/// Replaces what is pinned in the region. Returns what a report says of it.
std::vector<ProblemReport> install_pins(std::uint32_t region_id, const std::vector<storage::Pin>& pins);

/// Returns what is to be said, after a run of the region, of pins that no launch of it has used on rank 0,
/// which has read them; of each pin once in a process. Leaves out those of kernels that other ranks may have
/// launched instead. Nothing on other ranks.
std::vector<std::string> take_unused_pin_warnings(std::uint32_t region_id,
                                                  const options::ResolvedOptions& options);

}  // namespace contextual::tuning
