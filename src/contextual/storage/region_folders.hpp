#pragma once

/// \file
/// Which regions a cache directory has choices of.

#include <filesystem>
#include <string>
#include <vector>

namespace contextual::storage {

struct Regions {
  std::vector<std::string> names;  ///< in the order of texts
  /// The names of folders without choices and pins that do not say which region they are of.
  std::vector<std::string> unnamed;
  /// Folders that are not believed, or whose choices cannot be read, and what is no folder.
  std::vector<std::string> problems;
};

/// A folder's name is the region's, escaped; where that was too long, choices or pins in it say which region
/// it is.
Regions regions_in(const std::filesystem::path& directory);

}  // namespace contextual::storage
