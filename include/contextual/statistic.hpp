#pragma once

/// \file
/// How samples become one number.

namespace contextual {

/// Which statistic summarises samples. There is no minimum: contention with neighbours is part of what is
/// measured in context, and the minimum would hide it.
enum class Statistic {
  median,
  trimmed_mean,  ///< the mean without the lowest and the highest fifth; the median below 5 samples
};

}  // namespace contextual
