#pragma once

/// \file
/// Which choice the library makes from given measurements.

namespace contextual::storage {

/// A part of what kept choices and journals were made with. Count it up when the walk, the search or the
/// selection is changed so that the same measurements lead to another choice.
inline constexpr int search_version = 9;

}  // namespace contextual::storage
