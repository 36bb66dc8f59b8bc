#pragma once

/// \file
/// Finds the ranks that differ from the others.

#include <cstddef>
#include <string>
#include <vector>

namespace contextual::agreement {

/// The largest group of ranks with the same text, and the ranks that differ from it.
struct Majority {
  std::size_t reference = 0;   ///< the first rank of the largest group
  std::vector<int> differing;  ///< the ranks outside of it, or all ranks if it is not more than half of them
};

/// `texts` has the text of each rank, at least one.
Majority majority_of(const std::vector<std::string>& texts);

}  // namespace contextual::agreement
