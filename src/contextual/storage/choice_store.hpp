#pragma once

/// \file
/// The choices of regions on disk.

#include "contextual/storage/choice_entry.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace contextual::storage {

/// A folder a region, in `choices` of the cache directory, with a file an entry. A file is never changed; of
/// those with one purpose (ChoiceEntry::purpose_digest) the newest counts. Names are made of what every file
/// system takes.
class ChoiceStore {
 public:
  explicit ChoiceStore(std::filesystem::path directory, const std::string& region);

  struct Kept {
    std::vector<ChoiceEntry> entries;   ///< the newest first, one a purpose
    std::vector<std::string> problems;  ///< files that are not used, and why
  };
  /// Returns what is there. A damaged file gets another name.
  Kept load() const;

  /// Returns what went wrong, or an empty text.
  std::string save(const ChoiceEntry& entry) const;

  std::filesystem::path path() const { return folder_.path(); }

 private:
  std::string region_;
  detail::TrustedFolder folder_;
};

/// Returns a name for a file that stands for this text alone: letters, digits, '-' and '_' stay, the others
/// become %XX, and of a long text the end becomes a digest.
std::string file_name_of(const std::string& text);

}  // namespace contextual::storage
