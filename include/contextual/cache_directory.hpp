#pragma once

/// \file
/// Where things are kept that outlive the process.

#include <contextual/export.hpp>

#include <filesystem>

namespace contextual {

/// Returns where choices are kept unless an option says otherwise, in `choices`, and the machine code of
/// kernels compiled at run time, in `code`: CONTEXTUAL_CACHE_DIR, else HOME/.contextual. Returns an empty
/// path, which means nowhere, if neither environment variable is set or if CONTEXTUAL_CACHE_DIR is set to an
/// empty text.
CONTEXTUAL_API std::filesystem::path cache_directory();

}  // namespace contextual
