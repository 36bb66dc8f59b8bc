#pragma once

/// \file
/// Times the parts of a region in turn with the whole, when everything is locked in.

#include "contextual/options/resolved_options.hpp"
#include "contextual/record/limit_event.hpp"
#include "contextual/tuning/paired_timing.hpp"

#include <functional>
#include <string>

namespace contextual::tuning {

/// Runs rounds in which every part and the whole region have one turn, in an order that changes with each
/// round, so that a drift cancels. Tunable kernels use what is locked in for the region. One thread uses it.
class PartsRun {
 public:
  /// The references must outlive the object.
  PartsRun(const options::ResolvedOptions& options, PairedTiming& turns) : options_(options), turns_(turns) {}

  static int rounds_of(const options::ResolvedOptions& options);

  /// Collective. `name` is the region's. Throws on all ranks if the region or a part threw on one.
  LimitReport measure(const std::string& name, const std::function<void()>& region);

 private:
  const options::ResolvedOptions& options_;
  PairedTiming& turns_;
};

}  // namespace contextual::tuning
