#pragma once

/// \file
/// Kept choices as text for people.

#include <contextual/choices.hpp>

#include <string>

namespace contextual::cache_tool {

/// Returns what names a set in the other commands: the part of its file's name that no other set has.
std::string name_of(const KeptSet& set);

/// Returns what `list` says of a set: "fits here", "another machine", ...
std::string standing_text(const KeptSet& set);

/// Returns one line a set and one a pin, in columns.
std::string list_text(const KeptChoices::Contents& contents);

/// Returns all of a set: its machines, configs, reasons and times.
std::string show_text(const KeptSet& set);

/// Returns whether a program on this machine would use the set, and why each config was chosen.
std::string why_text(const KeptSet& set);

}  // namespace contextual::cache_tool
