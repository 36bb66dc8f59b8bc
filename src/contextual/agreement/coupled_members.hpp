#pragma once

/// \file
/// Checks that coupled kernels are launched together.

#include "contextual/launch/run_context.hpp"

namespace contextual::agreement {

/// Throws InvalidArgument if a kernel that is coupled to newly launched kernels was not launched with their
/// key.
void check_coupled_members(detail::RunContext& context);

}  // namespace contextual::agreement
