#pragma once

/// \file
/// Environment variables that are almost those of the library.

#include <string>
#include <string_view>
#include <vector>

namespace contextual::options {

/// Returns the known variable, without CONTEXTUAL_, that is meant by a name of an environment variable, or an
/// empty text for a name that is known or not close to any. In a close one, whatever the case of its letters,
/// at most two letters of the whole name are wrong, missing or too many, or one where the rest behind the
/// prefix is as short as MODE; or one of the two rests is the beginning of the other.
std::string_view meant_variable(std::string_view name);

/// Returns a warning for each of these names that is almost a known one.
std::vector<std::string> misspelled_variables(const std::vector<std::string>& names);

}  // namespace contextual::options
