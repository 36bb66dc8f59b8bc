#pragma once

/// \file
/// How samples become one number.

namespace contextual {

/// In context, contention is part of what is measured, so the minimum is the wrong statistic.
enum class Statistic {
  median,
  trimmed_mean,  ///< without the lowest and the highest fifth; the median below 5 samples
};

}  // namespace contextual
