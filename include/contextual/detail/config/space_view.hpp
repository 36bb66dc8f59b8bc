#pragma once

/// \file
/// A config space as the engine sees it: without the type of its configs.

#include <contextual/config.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace contextual {

/// Made by `ConfigSpace<C>::view`.
struct SpaceView {
  std::size_t size = 0;              ///< at least 1
  std::uint64_t digest = 0;          ///< equal on all ranks that have the same space
  std::vector<Config> configs;       ///< name/value form of every config, in order; config 0 is the default
  std::size_t refinement_count = 0;  ///< so many configs at the end are refinements
};

}  // namespace contextual
