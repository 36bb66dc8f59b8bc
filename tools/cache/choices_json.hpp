#pragma once

/// \file
/// Kept choices as JSON for programs.

#include <contextual/choices.hpp>

#include <string>
#include <vector>

namespace contextual::cache_tool {

/// Returns an object with the members `sets`, `pins` and `problems`.
std::string json_text(const KeptChoices::Contents& contents);

}  // namespace contextual::cache_tool
