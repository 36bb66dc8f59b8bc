#pragma once

#include <contextual/detail/config/space_view.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace contextual::agreement {

/// Returns the values of each parameter of a space, for a gather, e.g. {"TILE": [1, 2, 4]}.
nlohmann::json parameters_of(const SpaceView& space);

/// Describes how two ranks' config spaces of a kernel differ, e.g. "parameter TILE: only rank 2 has 8, only
/// rank 0 has 4". Both `parameters` are results of `parameters_of`.
std::string space_difference(std::size_t rank, const nlohmann::json& parameters, std::size_t other_rank,
                             const nlohmann::json& other_parameters);

}  // namespace contextual::agreement
