#pragma once

/// \file
/// A region's report, to look into at once.

#include <contextual/autotuner.hpp>
#include <contextual/report.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace engine_test {

/// The latest run of `region`. Throws where there is none.
inline contextual::RegionReport report_of(const contextual::ContextualAutotuner& tuner,
                                          std::string_view region) {
  const contextual::Report report = tuner.report();
  const contextual::RegionReport* run = report.find(region);
  if (run == nullptr) {
    throw std::runtime_error("no run of region " + std::string(region));
  }
  return *run;
}

}  // namespace engine_test
