#pragma once

/// \file
/// Environment variables that are almost those of the library.

#include <string>
#include <string_view>
#include <vector>

namespace contextual::options {

/// Returns the known variable that is meant by a name of an environment variable, or an empty text for a name
/// that is known, that does not begin with CONTEXTUAL_, or that is not close to any: at most two letters are
/// wrong, missing or too many, or one of the two is the beginning of the other.
std::string_view meant_variable(std::string_view name);

/// Returns a warning for each of these names that is almost a known one.
std::vector<std::string> misspelled_variables(const std::vector<std::string>& names);

}  // namespace contextual::options
