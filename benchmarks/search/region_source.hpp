#pragma once

/// \file
/// What makes the regions of a comparison, one for each seed.

#include "search/made_up/kind.hpp"
#include "search/replayed_region.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace search_replay {

struct RegionSource {
  std::string name;
  /// May be called by several threads.
  std::function<std::unique_ptr<ReplayedRegion>(std::uint64_t seed)> make;
};

/// Reads a recorded region, whose recording all seeds share. Throws InvalidArgument as Recording::read does.
RegionSource recorded_source(const std::filesystem::path& file);

/// Every seed makes another region of the kind. `kind` must live as long as the source.
RegionSource made_up_source(const made_up::Kind& kind);

}  // namespace search_replay
