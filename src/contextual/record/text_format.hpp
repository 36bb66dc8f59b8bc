#pragma once

/// \file
/// The lines of `rank-{i}.log`, for people. Pure.

#include "contextual/record/events.hpp"

#include <string>

namespace contextual::record {

/// One line without a line end. Control characters inside names and messages are escaped, so that an event
/// is never more than one line. Empty for what only programs want (ConfigSummary: the launch row of a
/// config's last repeat carries its average).
std::string to_text(const Event& event);

}  // namespace contextual::record
