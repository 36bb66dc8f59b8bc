#pragma once

/// \file
/// Which file a library would be loaded from.

#include <filesystem>
#include <string>
#include <vector>

namespace contextual::cuda {

/// Returns the file that detail::SharedLibrary(names) takes, without loading it: of what the process has
/// loaded, or where the loader looks. An empty path where that cannot be told.
std::filesystem::path file_of_library(const std::vector<std::string>& names);

/// Returns the library's file from the loader's cache, whose bytes these are (ldconfig, format 1.1); an empty
/// path if it is not there or the format is another one. Pure.
std::filesystem::path file_in_cache(const std::string& name, const std::string& cache);

}  // namespace contextual::cuda
