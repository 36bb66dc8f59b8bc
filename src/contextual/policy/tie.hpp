#pragma once

/// \file
/// Decides when two measurements tie: one rule for the walk's choices, own times and makespans. Pure.

#include "contextual/policy/statistics.hpp"

namespace contextual::policy {

/// Returns true if some sample of the slower one is not longer than the longest sample of the faster one, or
/// if either has no samples.
bool samples_overlap(const Summary& slower, const Summary& faster);

/// The difference of two measurements and its noise.
struct Comparison {
  double slower_by_ns = 0;  ///< negative if the supposedly slower one is faster
  double error_ns = 0;      ///< the standard error of `slower_by_ns`
  bool overlap = true;      ///< the result of `samples_overlap`
};

/// Compares the centres of samples that are not paired.
Comparison compare(const Summary& slower, const Summary& faster);

/// Returns true if two measurements tie. They tie if they differ by no more than the margin. Beyond the
/// margin, they tie if the difference is within twice its standard error and their samples overlap.
///
/// Samples that do not overlap never tie, because the error of a slow and erratic config is so large that it
/// would otherwise tie with every fast and steady one. Noise only lengthens times, so a large error of the
/// slower config does not mean that it may be as fast.
bool is_tie(const Comparison& comparison, double margin_ns);

}  // namespace contextual::policy
