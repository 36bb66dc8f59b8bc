#pragma once

#include <string>

namespace contextual::detail {

/// Returns the text as a file gives it back: bytes that are not UTF-8 are replaced.
std::string as_kept(const std::string& text);

}  // namespace contextual::detail
