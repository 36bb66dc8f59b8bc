#pragma once

/// \file
/// What the kernels of this process look like.

#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>

namespace contextual::agreement {

/// Returns a digest of all living kernels with their config spaces and versions: equal in another process
/// that has the same ones.
std::string kernels_digest();

/// Returns a digest of the problems that ranks tune together and of the kernels that this rank has launched
/// for them. The order in which it has seen them does not matter.
std::uint64_t launched_digest(const detail::RunContext& context);

}  // namespace contextual::agreement
