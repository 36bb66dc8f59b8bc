#pragma once

/// \file
/// A region's report, to look into at once, and its warnings.

#include <contextual/autotuner.hpp>
#include <contextual/report.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::test {

/// The latest run of `region`. Throws where there is none.
inline RegionReport report_of(const ContextualAutotuner& tuner, std::string_view region) {
  const Report report = tuner.report();
  const RegionReport* run = report.find(region);
  if (run == nullptr) {
    throw std::runtime_error("no run of region " + std::string(region));
  }
  return *run;
}

/// How many of these texts, such as a report's warnings, have the words.
inline std::size_t count_with(const std::vector<std::string>& texts, const std::string& words) {
  return static_cast<std::size_t>(std::count_if(texts.begin(), texts.end(), [&](const std::string& text) {
    return text.find(words) != std::string::npos;
  }));
}

}  // namespace contextual::test

namespace engine_test = contextual::test;
