#pragma once

/// \file
/// What a compiler's log means for the user. Pure, but for headers that it reads.

#include "contextual/cuda/kernel/compiler_input.hpp"

#include <string>
#include <vector>

namespace contextual::cuda {

/// Returns which of these macros have broken a header: those whose name is a word of a header in which
/// compiling failed, as a sentence for each header; an empty text if none is. `log` is NVRTC's.
std::string broken_headers(const std::string& log, const CompilerInput& input,
                           const std::vector<std::string>& macros);

}  // namespace contextual::cuda
