#pragma once

#include <contextual/export.hpp>

#include <filesystem>

namespace contextual {

/// Where machine code compiled at run time is kept: CONTEXTUAL_CACHE_DIR, else XDG_CACHE_HOME/contextual,
/// else HOME/.cache/contextual, in a folder `cubin`. Empty, for no cache, where none of them is set or
/// CONTEXTUAL_CACHE_DIR is set to nothing.
CONTEXTUAL_API std::filesystem::path cuda_cache_directory();

}  // namespace contextual
