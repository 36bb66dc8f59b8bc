#pragma once

/// \file
/// The definition of a config space, as the user gave it, and what is generated of it.

#include <contextual/config.hpp>
#include <contextual/detail/config/config_list.hpp>
#include <contextual/detail/config/erased_callable.hpp>
#include <contextual/detail/config/erased_space.hpp>
#include <contextual/detail/config/space_column.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace contextual::detail {

struct SpaceConstraint {
  std::string name;
  PackedResult<bool> allows;
};

/// Unchecked.
struct SpaceDefinition {
  ErasedSpace::MakeList make_list;
  bool dynamic;  ///< the configs are of type Config
  std::vector<SpaceColumn> parameters{};
  std::vector<SpaceConstraint> constraints{};
  std::vector<SpaceColumn> refinements{};              ///< further values of parameters, each for itself
  std::shared_ptr<const ConfigList> default_config{};  ///< one config, or null
  std::shared_ptr<const ConfigList> list{};            ///< null: all combinations
};

struct GeneratedSpace {
  std::unique_ptr<ConfigList> configs;
  std::size_t refinement_count = 0;  ///< so many at the end are refinements
  std::uint64_t digest = 0;
};

std::vector<SpaceAxis> axes_of(const std::vector<SpaceColumn>& parameters);

/// Returns the names and values of `config`. Throws ConfigSpaceError for a number that is not finite or does
/// not fit.
Config named_values(const SpaceDefinition& definition, const void* config);

}  // namespace contextual::detail
