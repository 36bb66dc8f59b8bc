#pragma once

/// \file
/// When two measurements are a tie: the one rule for the walk's choices, own times and makespans. Pure.

#include "contextual/policy/statistics.hpp"

namespace contextual::policy {

/// Whether some sample of the slower one is not longer than the longest of the faster one. True without
/// samples of both.
bool samples_overlap(const Summary& slower, const Summary& faster);

/// By how much one of two is slower than the other, and what is known of the noise.
struct Comparison {
  double slower_by_ns = 0;  ///< negative when it is faster
  double error_ns = 0;      ///< the standard error of `slower_by_ns`
  bool overlap = true;      ///< `samples_overlap`
};

/// Compares the centres of samples that are not paired.
Comparison compare(const Summary& slower, const Summary& faster);

/// Within the margin two are a tie. Beyond it they are one as long as the difference is within twice its
/// standard error, but never when their samples do not overlap. A slow and erratic one has such a large error
/// that without this exception it would tie with every fast and steady one: noise only ever lengthens a time,
/// so that a large error of the slower one is no sign that it may be as fast.
bool is_tie(const Comparison& comparison, double margin_ns);

}  // namespace contextual::policy
