#pragma once

/// \file
/// Coupled kernels are launched together.

#include "contextual/launch/run_context.hpp"

namespace contextual::agreement {

/// Throws InvalidArgument when a kernel that is coupled to newly launched ones was not launched with their
/// key.
void check_coupled_members(detail::RunContext& context);

}  // namespace contextual::agreement
