#pragma once

/// \file
/// What a `run` did, for the result file.

#include <nlohmann/json.hpp>

#include <functional>

namespace faults {

/// Calls `run`. `outcome` is "ok" or the class of what was thrown, with `message`, and `ranks`: those that
/// the error names.
nlohmann::json outcome_of(const std::function<void()>& run);

}  // namespace faults
