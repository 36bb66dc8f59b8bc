#pragma once

/// \file
/// Journals of tunings that nobody goes on with.

#include "contextual/storage/descriptor.hpp"

#include <contextual/detail/storage/trusted_folder.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace contextual::storage {

/// Returns the files of a region's folder of journals, those of one tuning together: their names are equal up
/// to the first dot.
std::vector<std::vector<std::string>> journals_in(const detail::TrustedFolder& folder);

/// What a tuning has left: its journals, what was in flight, and its quarantine. These are old together, or
/// not at all. Nobody else can use them while this object lives.
class OldJournal {
 public:
  /// `age`: so long ago somebody last wrote to one of the files.
  OldJournal(const detail::TrustedFolder& folder, const std::vector<std::string>& files,
             std::chrono::seconds age);

  /// Returns the files; none if one of them is newer or cannot be written, or if a process uses one, which it
  /// may where the file system cannot lock files.
  const std::vector<std::string>& files() const noexcept { return files_; }

 private:
  std::vector<Descriptor> locked_;
  std::vector<std::string> files_;
};

}  // namespace contextual::storage
