#pragma once

/// \file
/// The choices of regions on disk.

#include "contextual/storage/choice_set.hpp"
#include "contextual/storage/region_file.hpp"

#include <contextual/detail/storage/machine.hpp>
#include <contextual/detail/storage/trusted_folder.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace contextual::storage {

/// The files of a region in `choices` of a cache directory: one of its pins, and one of its sets for each
/// kind of machine that rank 0 was on. Each is replaced whole. Nobody waits for anybody: where several
/// processes write one at the same time, what one of them has added may be lost, and is tuned again. Names
/// are made of what every file system takes.
class ChoiceStore {
 public:
  ChoiceStore(const std::filesystem::path& directory, const std::string& region);

  struct Kept {
    RegionFile file;
    std::vector<std::string> problems{};  ///< what is not used, and why
    /// Why it is not known what is pinned: something that cannot be used may say it. Empty where it is known,
    /// and where only descriptors or memory are short: whoever serves is not stopped by that.
    std::string pins_unknown{};
  };
  /// Returns what is in one file.
  Kept read(const std::string& name) const;
  /// Returns what is pinned, without any sets.
  Kept read_pins() const { return read(name_of_pins()); }
  /// Returns what is in all of them, first what was chosen on machines like this one.
  Kept read_all(const detail::Machine& machine = {}) const;

  /// The name of the file that pins are written to.
  std::string name_of_pins() const;
  /// The name of the file with the sets of such machines. Versions of software and the processor do not make
  /// another file, because they need not count.
  std::string name_of_sets(const std::vector<detail::Machine>& machines) const;

  /// Has `change` change what is in a file, and writes it if that returns true. If the file has changed
  /// meanwhile, does so again, a few times. A file that cannot be read stays as it is. Returns what went
  /// wrong, or an empty text.
  std::string change(const std::string& name, const std::function<bool(RegionFile&)>& change) const;

  /// Adds an entry as the newest, as `add_newest` does. Returns what went wrong, or an empty text.
  std::string save(const ChoiceSet& entry, const Present& now,
                   const std::vector<ChoiceSet>& shipped = {}) const;

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }

 private:
  std::string region_;
  detail::TrustedFolder folder_;
};

/// The folder of the regions within a cache directory.
inline constexpr const char* choices_folder = "choices";
inline constexpr const char* journals_folder = "journal";

struct FileOfRegion {
  std::string region;
  std::string name;
};
/// Returns the files of one region, or of all, that a cache directory has, by region. Adds what is of no
/// region to `problems`, and why.
std::vector<FileOfRegion> files_in(const std::filesystem::path& directory,
                                   const std::optional<std::string>& region,
                                   std::vector<std::string>& problems);

/// Returns a name for a file that stands for this text alone: letters, digits, '-' and '_' stay, the others
/// become %XX, and of a long text the end becomes a digest.
std::string file_name_of(const std::string& text);

}  // namespace contextual::storage
