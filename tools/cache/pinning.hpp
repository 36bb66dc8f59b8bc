#pragma once

/// \file
/// What `pin` pins, and which arguments it refuses.

#include "cache/command.hpp"

#include <contextual/choices.hpp>

#include <iosfwd>

namespace contextual::cache_tool {

/// Pins what `set` has chosen. Throws InvalidArgument if the command says more than a set and a kernel, or if
/// the set has no such kernel.
KeptChoices::Changes pin_set(const KeptChoices& kept, const KeptSet& set, const Command& command);

/// Pins the config that the command names. Throws InvalidArgument if it names none, or two, or an empty key.
/// Notes in `err` where no kept set has what was pinned: it may be misspelled, or not tuned yet.
KeptChoices::Changes pin_config(const KeptChoices& kept, const Command& command, std::ostream& err);

}  // namespace contextual::cache_tool
