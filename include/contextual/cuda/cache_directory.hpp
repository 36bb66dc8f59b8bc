#pragma once

#include <contextual/export.hpp>

#include <filesystem>

namespace contextual {

/// Returns the folder of the machine code compiled at run time: `cubin` in CONTEXTUAL_CACHE_DIR, else in
/// XDG_CACHE_HOME/contextual, else in HOME/.cache/contextual. Returns an empty path, which means no cache, if
/// none of these environment variables is set or if CONTEXTUAL_CACHE_DIR is set to an empty text.
CONTEXTUAL_API std::filesystem::path cuda_cache_directory();

}  // namespace contextual
