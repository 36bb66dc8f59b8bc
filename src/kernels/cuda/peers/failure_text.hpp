#pragma once

/// \file
/// Why a call that several ranks compute together has failed, in words.

#include <chrono>
#include <string>

namespace contextual::kernels::cuda {

/// Returns the words for a PeerFailure, or an empty text for none. `budget` is how long the device has
/// waited.
std::string failure_text(unsigned failure, std::chrono::nanoseconds budget);

}  // namespace contextual::kernels::cuda
