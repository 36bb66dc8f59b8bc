#pragma once

/// \file
/// What the kernels of this process look like.

#include <string>

namespace contextual::agreement {

/// Returns a digest of all living kernels with their config spaces and versions: equal in another process
/// that has the same ones.
std::string kernels_digest();

}  // namespace contextual::agreement
