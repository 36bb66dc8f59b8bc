#pragma once

#include <string>
#include <vector>

namespace contextual::detail {

/// Paths of loaded objects that hold another copy of this library. A copy linked statically into an
/// executable that exports no symbols cannot be seen.
std::vector<std::string> other_library_copies();

}  // namespace contextual::detail
