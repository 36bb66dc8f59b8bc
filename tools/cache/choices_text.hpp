#pragma once

/// \file
/// Kept choices as text for people.

#include <contextual/choices.hpp>

#include <string>

namespace contextual::cache_tool {

/// Returns what `list` says of a set: "fits here", "another machine", ...
std::string standing_text(const KeptSet& set);

/// Returns one line a set and one a pin, in columns.
std::string list_text(const KeptChoices::Contents& contents);

/// Returns all of a set: its machines, configs, reasons and times.
std::string show_text(const KeptSet& set);

/// Returns whether a program on this machine would use the set, and why each config was chosen.
std::string why_text(const KeptSet& set);

}  // namespace contextual::cache_tool
