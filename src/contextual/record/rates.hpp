#pragma once

/// \file
/// The rates of a tuning problem's launches: its work over its own time.

#include <contextual/metrics.hpp>

#include <string>

namespace contextual::record {

/// Returns own time and rates; without rates if there is no work, and without anything if there is no time.
/// Throws nothing for work that launches have told.
KernelMetrics metrics_of(const KernelWork& work, double time_ns);

/// Returns e.g. "687.2 TFLOP/s, 503.3 GB/s", or an empty text if no rate is known.
std::string rates_text(const KernelMetrics& metrics);

}  // namespace contextual::record
