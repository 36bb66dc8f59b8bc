#pragma once

#include "contextual/options/resolved_options.hpp"
#include "contextual/tuning/tuning_setup.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace contextual::tuning {

/// One `run` of a region. Refers to what the caller keeps.
struct RegionCall {
  const std::string& region;
  std::uint32_t region_id;
  const std::function<void()>& function;
  const options::ResolvedOptions& options;
  const Occasion& occasion;
};

}  // namespace contextual::tuning
