#pragma once

/// \file
/// The first exchange of a run, after which no rank uses what has failed on one of them.

#include "contextual/agreement/hello.hpp"

#include <cstdint>
#include <string>

namespace contextual::tuning {

/// Says hello, as agreement::say_hello does. Where a choice of the region has failed to launch on some rank
/// since the ranks met, all ranks forget what is locked in for the region. Collective.
agreement::Hello meet(agreement::Exchange& exchange, const std::string& region, std::uint32_t region_id,
                      const options::ResolvedOptions& options, agreement::Arrival arrival);

/// Does so on a rank alone, which need not meet others for that. Not while the region runs.
void forget_failed_choices(std::uint32_t region_id);

}  // namespace contextual::tuning
