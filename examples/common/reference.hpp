#pragma once

/// \file
/// What references in double are made of: data of a fixed seed, a plain product, and how far off a result is.

#include <vector>

namespace examples {

/// Normally distributed, the same in every run.
std::vector<float> random_values(long count, unsigned seed, float deviation, float mean = 0.0F);

/// c += a b, row-major, without gaps; n columns.
void multiply_add(const std::vector<double>& a, const std::vector<float>& b, std::vector<double>& c, long n);

/// The largest |result - reference|, relative to the largest value of the reference; infinite if the result
/// has a NaN.
double relative_error(const std::vector<float>& result, const std::vector<double>& reference);

}  // namespace examples
