#pragma once

/// \file
/// Centre and spread of some values, as the tuner computes them.

#include <vector>

namespace contextual::log_report {

/// The median; 0 for no values.
double median_of(std::vector<double> values);

/// 1.4826 x the median absolute deviation; 0 for no values.
double spread_of(const std::vector<double>& values);

}  // namespace contextual::log_report
