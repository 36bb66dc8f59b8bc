#pragma once

/// \file
/// The configs of a space whose parameters have given values.

#include <contextual/config.hpp>
#include <contextual/detail/config/space_view.hpp>
#include <contextual/export.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace contextual::detail {

/// Some configs of a space.
struct FixedConfigs {
  std::vector<std::size_t> config_ids;  ///< in the order of the space, at least one
  std::string text;                     ///< the values in the order of the parameters: "{BLOCK: 128}"
};

/// Returns the configs of `space` that have all values of `fixed`. An integer stands for the same
/// floating-point number, and a floating-point number for the float that it is rounded to, so 0.2 for 0.2F.
/// Throws InvalidArgument, with `name` in its message, if a parameter does not exist, or if no config has all
/// of the values; the message then names the type and the values of the parameter.
CONTEXTUAL_API FixedConfigs configs_with(const SpaceView& space, const Config& fixed, std::string_view name);

/// Returns the id of the config with these names and values, in any order, which are compared as those of
/// `configs_with`; or nothing if there is none.
CONTEXTUAL_API std::optional<std::size_t> config_id_of(const SpaceView& space, const Config& config);

}  // namespace contextual::detail
