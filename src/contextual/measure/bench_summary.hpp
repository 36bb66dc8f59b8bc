#pragma once

#include <contextual/do_bench.hpp>

#include <span>
#include <vector>

namespace contextual::measure {

/// Returns the quantile `q`, between 0 and 1, of at least one value in ascending order: linear between the
/// two neighbouring values.
BenchTime quantile_of_sorted(std::span<const BenchTime> sorted, double q);

/// Fills in median, mean, extremes, spread and these quantiles of the samples, of which there is at least
/// one.
void summarize(BenchResult& result, const std::vector<double>& quantiles);

}  // namespace contextual::measure
