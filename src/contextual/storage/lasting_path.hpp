#pragma once

#include <filesystem>

namespace contextual::storage {

/// Returns the path itself if it is absolute or empty. A relative one means, for the whole process, what it
/// meant when it was first asked for: a program may change its current directory at any time. Thread-safe.
std::filesystem::path lasting_path(const std::filesystem::path& path);

}  // namespace contextual::storage
