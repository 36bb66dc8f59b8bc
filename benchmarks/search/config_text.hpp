#pragma once

/// \file
/// Configs as `Config::to_string` writes them, read again.

#include <contextual/config.hpp>

#include <string>

namespace search_replay {

/// Reads "{BLOCK: 128, SWIZZLE: true, METHOD: copy}". A value is an integer, true, false, or else text.
/// Throws InvalidArgument if `text` has another form.
contextual::Config config_of_text(const std::string& text);

}  // namespace search_replay
