#pragma once

/// \file
/// A logarithm that is the same on every rank.

namespace contextual::policy::search {

/// Returns the natural logarithm of `x`, which is finite and greater than 0, with a relative error below
/// 1e-12.
///
/// Ranks must compute the same bits. std::log does not promise that: the C library chooses an implementation
/// by the processor. This one only uses the basic operations.
double natural_logarithm(double x) noexcept;

}  // namespace contextual::policy::search
