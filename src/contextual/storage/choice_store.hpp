#pragma once

/// \file
/// The choices of regions on disk.

#include "contextual/storage/region_file.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace contextual::storage {

/// A file a region, in `choices` of the cache directory. Readers see what some writer has left; writers take
/// turns by a lock, and rename. Names are made of what every file system takes.
class ChoiceStore {
 public:
  explicit ChoiceStore(const std::filesystem::path& directory, const std::string& region);

  struct Kept {
    RegionFile file;
    std::vector<std::string> problems{};  ///< what is not used, and why
    /// Why it is not known what is pinned: something that cannot be used may say it. Empty where it is known,
    /// and where only descriptors or memory are short: whoever serves is not stopped by that.
    std::string pins_unknown{};
  };
  /// Returns what is there. Takes no lock.
  Kept read() const;

  /// Has `change` change what is there, and writes it if that returns true. Waits at most 1 s for other
  /// writers. A file that cannot be read stays as it is. Returns what went wrong, or an empty text.
  std::string change(const std::function<bool(RegionFile&)>& change) const;

  /// Adds an entry as the newest, whatever clocks say, and removes those that it replaces. A choice that was
  /// reused gets the reason and the times that it was first kept with, here or in one of the entries from
  /// `elsewhere`. Returns what went wrong, or an empty text.
  std::string save(ChoiceSet entry, const std::vector<ChoiceSet>& elsewhere = {}) const;

  std::filesystem::path path() const { return folder_.path() / name_; }

 private:
  ParsedRegion parsed() const;

  std::string region_;
  detail::TrustedFolder folder_;
  std::string name_;
};

/// The folder of the regions within a cache directory.
inline constexpr const char* choices_folder = "choices";
inline constexpr const char* journals_folder = "journal";

/// Which regions a cache directory has a file of.
struct Regions {
  std::vector<std::string> names;     ///< in the order of texts
  std::vector<std::string> problems;  ///< what says no region, and why
};
Regions regions_in(const std::filesystem::path& directory);

/// Returns a name for a file that stands for this text alone: letters, digits, '-' and '_' stay, the others
/// become %XX, and of a long text the end becomes a digest.
std::string file_name_of(const std::string& text);

}  // namespace contextual::storage
