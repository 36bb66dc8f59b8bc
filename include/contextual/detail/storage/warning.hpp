#pragma once

/// \file
/// Warnings of what no report has a place for.

#include <contextual/export.hpp>

#include <string>

namespace contextual::detail {

/// Writes a warning to stderr, the same one once in a process. Thread-safe.
CONTEXTUAL_API void warn_once(const std::string& text) noexcept;

}  // namespace contextual::detail
