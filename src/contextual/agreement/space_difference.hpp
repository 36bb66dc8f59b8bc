#pragma once

#include <contextual/detail/config/space_view.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace contextual::agreement {

/// The values that each parameter has in a space, for a gather: {"TILE": [1, 2, 4]}.
nlohmann::json parameters_of(const SpaceView& space);

/// What two ranks' spaces of one kernel differ in, from what `parameters_of` told of each: "parameter TILE:
/// only rank 2 has 8, only rank 0 has 4".
std::string space_difference(std::size_t rank, const nlohmann::json& parameters, std::size_t other_rank,
                             const nlohmann::json& other_parameters);

}  // namespace contextual::agreement
