#pragma once

/// \file
/// Medians and quantiles of plain numbers.

#include <vector>

namespace search_replay {

/// Returns the middle value, or the mean of the two middle ones. Throws InvalidArgument if there is none.
double median(std::vector<double> values);

/// Returns the smallest value that at least `share` of the values do not exceed, which may be infinity.
/// Throws InvalidArgument if there is none.
double quantile(std::vector<double> values, double share);

}  // namespace search_replay
