#pragma once

/// \file
/// What a thread does about a process that is blocked for too long.

#include <contextual/export.hpp>

#include <string_view>

namespace contextual::detail {

/// Writes to stderr by one system call: stdio may be closed already, or its lock held by whoever is blocked.
CONTEXTUAL_API void tell_stderr(std::string_view text) noexcept;

/// Returns true if a debugger or tracer is attached to this process, which may then stand still for good
/// reasons. Linux only.
CONTEXTUAL_API bool being_traced() noexcept;

}  // namespace contextual::detail
