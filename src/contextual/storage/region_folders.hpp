#pragma once

/// \file
/// Which regions a cache directory has choices of.

#include <filesystem>
#include <string>
#include <vector>

namespace contextual::storage {

struct Regions {
  std::vector<std::string> names;     ///< in the order of texts
  std::vector<std::string> problems;  ///< folders that are not believed, or do not say what they are of
};

/// A folder's name is the region's, escaped; where that was too long, the files in it say which region it is.
Regions regions_in(const std::filesystem::path& directory);

}  // namespace contextual::storage
