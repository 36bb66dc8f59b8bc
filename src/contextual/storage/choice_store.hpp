#pragma once

/// \file
/// The choices of regions on disk.

#include "contextual/storage/choice_entry.hpp"
#include "contextual/storage/pin.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace contextual::storage {

/// A folder a region, in `choices` of the cache directory, with a file an entry. A file is never changed; of
/// those that a newer one replaces (ChoicePurpose::replaces) that one counts. Names are made of what every
/// file system takes. What is pinned is beside them, in files whose names end in `.pin`.
class ChoiceStore {
 public:
  explicit ChoiceStore(std::filesystem::path directory, const std::string& region);

  struct Kept {
    std::vector<ChoiceEntry> entries;   ///< the newest first, without superseded ones
    std::vector<std::string> problems;  ///< files that are not used, and why
  };
  /// Returns what is there. A damaged file gets another name.
  Kept load() const;
  /// Returns the same, and changes nothing.
  Kept read() const;

  struct Named {
    std::string file;  ///< later names come later in the order of texts
    ChoiceEntry entry;
    bool superseded = false;  ///< a newer one that counts replaces it
  };
  struct Damaged {
    std::string file;
    std::string problem;
  };
  /// All files, the newest first.
  struct Files {
    std::vector<Named> entries;
    std::vector<Damaged> damaged;
    std::vector<std::string> refusals;  ///< of files that are not believed
  };
  /// Returns what is there, and changes nothing. Looks again where a file is removed meanwhile, because what
  /// replaces it may have come after the first look.
  Files files() const;

  /// Writes an entry that counts as newer than all that are there, whatever their clocks said, and removes
  /// those that it covers, as far as it may. A choice that was reused gets the reason and the times that it
  /// was first kept with, here or in one of the entries from `elsewhere`. Returns what went wrong, or an
  /// empty text.
  std::string save(ChoiceEntry entry, const std::vector<ChoiceEntry>& elsewhere = {}) const;

  using PinFile = storage::PinFile;
  /// Returns the pin files in the order of their names. Where the folder may have some, and is not believed
  /// or cannot be listed, it stands for them, with the refusal.
  std::vector<PinFile> pin_files() const;

  const detail::TrustedFolder& folder() const noexcept { return folder_; }

  std::filesystem::path path() const { return folder_.path(); }

 private:
  Kept kept_in(Files files, const std::function<std::string(const std::string& file)>& damaged) const;
  std::vector<std::string> read_new(Files& files, std::set<std::string>& seen) const;
  std::string new_file_name() const;
  void take_over_reasons(ChoiceEntry& entry, const std::vector<ChoiceEntry>& elsewhere) const;

  std::string region_;
  detail::TrustedFolder folder_;
};

/// The folder of the regions within a cache directory, and the endings of the names in their folders.
inline constexpr const char* choices_folder = "choices";
inline constexpr const char* journals_folder = "journal";
inline constexpr const char* entry_ending = ".json";
inline constexpr const char* damaged_ending = ".damaged";
inline constexpr const char* pin_ending = ".pin";

/// Returns when the entry of this file name was written; nothing for a name that no entry has.
std::optional<std::chrono::system_clock::time_point> written_at(const std::string& file);

/// Returns a name for a file that stands for this text alone: letters, digits, '-' and '_' stay, the others
/// become %XX, and of a long text the end becomes a digest.
std::string file_name_of(const std::string& text);

}  // namespace contextual::storage
