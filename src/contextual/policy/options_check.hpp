#pragma once

/// \file
/// Which options make sense.

#include "contextual/policy/tuning_state.hpp"

namespace contextual::policy {

/// Throws InvalidArgument naming the option, its value and what it may be.
void check_options(const PolicyOptions& options);

}  // namespace contextual::policy
