#pragma once

/// \file
/// Who differs, when ranks do not say the same.

#include <cstddef>
#include <string>
#include <vector>

namespace contextual::agreement {

/// What most ranks say, and who says something else.
struct Majority {
  std::size_t reference = 0;   ///< the first rank of the largest group that says the same
  std::vector<int> differing;  ///< ranks outside of it; all, where that group is not more than half
};

/// `texts` by rank, at least one.
Majority majority_of(const std::vector<std::string>& texts);

}  // namespace contextual::agreement
