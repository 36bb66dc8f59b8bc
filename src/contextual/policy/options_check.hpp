#pragma once

/// \file
/// Which options make sense.

#include "contextual/policy/tuning_state.hpp"

#include <cstdint>
#include <string>

namespace contextual::policy {

/// Throws InvalidArgument naming the option, its value and what it may be.
void check_options(const PolicyOptions& options);

/// Throws InvalidArgument with this text unless `fine`.
void require(bool fine, const std::string& what);

/// Throws InvalidArgument "option NAME = VALUE: it must be at least LEAST".
void require_at_least(const std::string& name, std::int64_t value, std::int64_t least);

}  // namespace contextual::policy
