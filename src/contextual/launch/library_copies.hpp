#pragma once

#include <string>
#include <vector>

namespace contextual::detail {

/// Returns the paths of loaded objects that contain another copy of this library. Does not find a copy that
/// is linked statically into an executable without exported symbols.
std::vector<std::string> other_library_copies();

}  // namespace contextual::detail
