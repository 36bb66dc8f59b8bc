#pragma once

/// \file
/// What is said of something that could not be written.

#include <filesystem>
#include <string>

namespace contextual::storage {

/// Returns true the first time in a process that something is said. Thread-safe.
bool is_new(const std::string& text);

/// Returns a warning that `what` has happened because of `problem`, which came up when something was written
/// in the cache directory. Where nothing at all can be written there, the warning says so, once in a process
/// for each directory, and is empty after that. Makes the directory if it is missing. Thread-safe.
std::string unwritten_warning(const std::filesystem::path& directory, const std::string& what,
                              const std::string& problem);

/// Returns true if nothing at all can be written there. Makes the directory if it is missing. Thread-safe.
bool is_unwritable(const std::filesystem::path& directory);

}  // namespace contextual::storage
