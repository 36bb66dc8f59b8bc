#pragma once

/// \file
/// What the kernels of this process look like.

#include "contextual/launch/run_context.hpp"

#include <cstdint>
#include <string>

namespace contextual::agreement {

/// Returns all living kernels, with digests of their config spaces and versions: a line each, the digest
/// first. Equal in another process that has the same ones, also when a file has kept it.
std::string kernels_text();
/// Returns a digest of that.
std::string kernels_digest();

/// Returns a digest of the problems and of the kernels that this rank has launched for them. The order in
/// which it has seen them does not matter.
std::uint64_t launched_kernels_digest(const detail::RunContext& context);

}  // namespace contextual::agreement
