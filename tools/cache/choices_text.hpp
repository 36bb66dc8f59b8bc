#pragma once

/// \file
/// Kept choices as text for people, and as JSON for programs.

#include <contextual/choices.hpp>

#include <string>

namespace contextual::cache_tool {

/// Returns what `list` says of a set: "fits here", "another machine", ...
std::string standing_text(const KeptSet& set);

/// Returns one line a set and one a pin, in columns.
std::string list_text(const KeptChoices::Contents& contents);

/// Returns all of a set: whether a program on this machine would use it, its machines, and its configs with
/// their times and why each was chosen.
std::string show_text(const KeptSet& set);

/// Returns an object with the members `sets`, `pins` and `problems`.
std::string json_text(const KeptChoices::Contents& contents);

}  // namespace contextual::cache_tool
